#!/bin/sh
# Verifies this turnover package with ssh-keygen and coreutils alone. Exit 0: everything holds; 1: something does not.
set -u
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")" || exit 2
bad=0
fault() { echo "FAULT: $*"; bad=1; }

# 1. Files: none changed, none missing, none added.
sha256sum --quiet --strict -c SHA256SUMS || fault "files differ from SHA256SUMS"
files=0
for file in * statements/* evidence/*; do
  if [ -h "$file" ]; then fault "$file is a link"; fi
  if [ -f "$file" ]; then files=$((files + 1)); fi
done
[ "$files" -eq "$(($(wc -l < SHA256SUMS) + 1))" ] || fault "$files files are here, SHA256SUMS lists $(wc -l < SHA256SUMS) beside itself"

# 2. Events: each has its hash and follows the one before.
last=0000000000000000000000000000000000000000000000000000000000000000
events=0
while IFS= read -r line && IFS= read -r hash <&3; do
  events=$((events + 1))
  sum=$(printf %s "$line" | sha256sum)
  [ "${sum%% *}" = "$hash" ] || fault "event $events does not have its hash"
  rest=${line##*\"prev_hash\":\"}
  [ "${rest%%\"*}" = "$last" ] || fault "event $events does not follow the one before"
  last=$hash
done < events.jsonl 3< hashes
[ "$events" -eq "$(wc -l < events.jsonl)" ] && [ "$events" -eq "$(wc -l < hashes)" ] || fault "events and hashes differ in number"

# 3. Signatures: each statement was signed by its person, with a key that counted then.
namespace=$(cat namespace)
signed=0
tab=$(printf '\t')
while IFS="$tab" read -r name person moment; do
  signed=$((signed + 1))
  file=statements/$name.json
  size=$(wc -c < "$file" | tr -d ' ')
  { printf 'DSSEv1 28 application/vnd.in-toto+json %s ' "$size"; cat "$file"; } |
    ssh-keygen -q -Y verify -f allowed_signers -I "$person" -n "$namespace" -s "$file.sig" -O "verify-time=$moment" > /dev/null 2>&1 ||
    fault "$file: the signature of $person does not hold"
done < statements.tsv
[ "$signed" -eq "$(ls statements | wc -l | tr -d ' ' | { read -r n; echo $((n / 3)); })" ] || fault "statements and their list differ in number"

# 4. Evidence: each file has the digest it is named by.
for file in evidence/*; do
  [ -f "$file" ] || continue
  sum=$(sha256sum < "$file")
  [ "evidence/${sum%% *}" = "$file" ] || fault "$file is not what its name says"
done

if [ "$bad" -ne 0 ]; then echo "This package does NOT verify."; exit 1; fi
echo "$events events, $signed signatures, $files files: everything holds."
echo "head $last"
