#!/bin/sh
# Verifies this turnover package with ssh-keygen and coreutils only.
# Exit status 0: everything is as it must be. 1: something is not. 2: its folder cannot be opened.
set -u
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")" || exit 2
bad=0
fault() { echo "FAULT: $*"; bad=1; }

# 1. Files: none was changed, removed or added.
sha256sum --quiet --strict -c SHA256SUMS || fault "files differ from SHA256SUMS"
files=0
for file in * statements/* engine/* evidence/*; do
  if [ -h "$file" ]; then fault "$file is a symbolic link"; fi
  if [ -f "$file" ]; then files=$((files + 1)); fi
done
[ "$files" -eq "$(($(wc -l < SHA256SUMS) + 1))" ] || fault "the package has $files files; with SHA256SUMS and the files that it lists there should be $(($(wc -l < SHA256SUMS) + 1))"

# 2. Events: each event has the hash that is listed for it, and follows the event before it. On a signed site (the genesis has an
#    owner's key) the engine signed the hash of each of its own events, from version 2 of the rules on.
namespace=$(cat namespace)
owned=0
engine_signs=0
engine=0
last=0000000000000000000000000000000000000000000000000000000000000000
events=0
refused=" $(cut -f 1 refused | tr '\n' ' ')"
while IFS= read -r line && IFS= read -r hash <&3; do
  events=$((events + 1))
  sum=$(printf %s "$line" | sha256sum)
  [ "${sum%% *}" = "$hash" ] || fault "event $events was changed: it does not have its listed hash"
  rest=${line##*\"prev_hash\":\"}
  [ "${rest%%\"*}" = "$last" ] || fault "event $events does not follow the event before it"
  last=$hash
  if [ "$events" -eq 1 ]; then
    case $line in *'\"owner_key\":\"'*) owned=1 ;; esac
    case $line in *'\"rules\":1,'*) ;; *'\"rules\":'*) engine_signs=$owned ;; esac
  fi
  case $line in '{"actor":"'*) ;; *) fault "event $events does not begin with its actor" ;; esac
  case $refused in *" $events "*) continue ;; esac
  case $line in
    *',"kind":"rules.raised",'*) engine_signs=$owned ;;
    '{"actor":"engine",'*)
      [ "$engine_signs" -eq 1 ] || continue
      engine=$((engine + 1))
      rest=${line##*\"recorded_at\":\"}
      moment=$(printf %s "${rest%%[.Z]*}" | tr -d 'T:-')Z
      printf 'clusterwright event %s' "$hash" |
        ssh-keygen -q -Y verify -f allowed_signers -I engine -n "$namespace" -s "engine/$(printf %06d "$events").sig" -O "verify-time=$moment" > /dev/null 2>&1 ||
        fault "event $events is the engine's, and has no valid signature of it"
      ;;
  esac
done < events.jsonl 3< hashes
[ "$events" -eq "$(wc -l < events.jsonl)" ] && [ "$events" -eq "$(wc -l < hashes)" ] || fault "events.jsonl and hashes have different numbers of lines"

signatures=0
for file in engine/*; do
  if [ -f "$file" ]; then signatures=$((signatures + 1)); fi
done
[ "$signatures" -eq "$engine" ] || fault "engine/ has $signatures signatures, and the engine signed $engine events"
before=$(while IFS= read -r line; do
  rest=${line##*\"recorded_at\":\"}
  printf '%s\n' "${rest%%\"*}"
done < events.jsonl | sort -c 2>&1) || fault "an event was recorded before the event before it (line, time): $before"

# 3. Signatures: each statement names an event of this ledger, and its person signed it, with a key that was valid at that time.
signed=0
tab=$(printf '\t')
while IFS="$tab" read -r name person moment; do
  signed=$((signed + 1))
  file=statements/$name.json
  rest=$(cat "$file")
  rest=${rest##*\"head\":\{\"hash\":\"}
  head=${rest#*\"seq\":}
  [ "$(head -n "${head%%[!0-9]*}" hashes | tail -n 1)" = "${rest%%\"*}" ] || fault "$file was made over another ledger"
  size=$(wc -c < "$file" | tr -d ' ')
  { printf 'DSSEv1 28 application/vnd.in-toto+json %s ' "$size"; cat "$file"; } |
    ssh-keygen -q -Y verify -f allowed_signers -I "$person" -n "$namespace" -s "$file.sig" -O "verify-time=$moment" > /dev/null 2>&1 ||
    fault "$file: the signature of $person is invalid"
done < statements.tsv
[ "$signed" -eq "$(ls statements | wc -l | tr -d ' ' | { read -r n; echo $((n / 3)); })" ] || fault "statements.tsv does not list every statement in statements/"

# 4. Evidence: the name of each file is the digest of its content.
for file in evidence/*; do
  [ -f "$file" ] || continue
  sum=$(sha256sum < "$file")
  [ "evidence/${sum%% *}" = "$file" ] || fault "$file was changed: its name is not the digest of its content"
done

if [ -s refused ]; then echo "The rules refuse $(wc -l < refused | tr -d ' ') events, and these change nothing (number, kind, actor):"; cat refused; fi
if [ "$bad" -ne 0 ]; then echo "This package is NOT valid."; exit 1; fi
echo "$events events, $signed signatures of people and $engine of the engine, $files files: this package is valid."
echo "head $last"
