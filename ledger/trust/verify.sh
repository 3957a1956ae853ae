#!/bin/sh
# Verifies a turnover package with ssh-keygen and coreutils only: `sh verify.sh FOLDER`, or without FOLDER the one it is in.
# The copy in a package is as good as the person who handed it over. Another one, of a release of Clusterwright, verifies it too.
# Exit status 0: everything is as it must be, and the owner signed it. 1: something is not. 2: a folder cannot be opened.
# 4: chain only. Nothing is wrong, and the owner has not signed the package.
set -u
LC_ALL=C
CDPATH=
export LC_ALL
cd -- "${1:-$(dirname -- "$0")}" || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf -- "$work"' EXIT
bad=0
tab=$(printf '\t')
line() { printf '%s\n' "$*"; } # echo would read backslashes
shown() { tr '\001-\010\013-\037\177' '?'; } # text of others, without signs that move a terminal
fault() { line "FAULT: $*" | shown; bad=1; }
same() { [ "$(sha256sum)" = "$(sha256sum < "$1")" ]; } # whether the standard input is what a file has
seconds() { # sets second: a time of an event, as OpenSSH writes it
  IFS=-T:.Z read -r year month day hour minute second _ << END
$1
END
  second=$year$month$day$hour$minute${second}Z
}
unescape() { # The text of a JSON string in which only quotes and backslashes are escaped: `read` without -r takes these away.
  IFS= read plain << END
$1
END
}
first_of() { # the text of a field: its JSON, its name
  case $1 in *"\"$2\":\""*) ;; *) return ;; esac
  field=${1#*"\"$2\":\""}
  printf %s "${field%%\"*}"
}
version_in() { # of the rules, that a payload names. Version 1 had no name.
  case $1 in *'"rules":'*) ;; *) echo 1; return ;; esac
  version=${1#*\"rules\":}
  line "${version%%[!0-9]*}"
}
armoured() { # whether a file is one signature, as ssh-keygen writes it, and nothing more. Sets armour: its text.
  armour=$(tr -d '\n\r\t ' < "$1")
  armour=${armour#-----BEGINSSHSIGNATURE-----}
  armour=${armour%-----ENDSSHSIGNATURE-----}
  {
    echo "-----BEGIN SSH SIGNATURE-----"
    printf %s "$armour" | base64 -d 2> /dev/null | base64 -w 70
    echo "-----END SSH SIGNATURE-----"
  } | same "$1"
}
for file in events.jsonl hashes allowed_signers statements.tsv namespace SHA256SUMS; do
  [ -f "$file" ] || { fault "$file is missing"; echo "This package is NOT valid."; exit 1; }
done

# Keys, as the events enrol and end them. A line is: person, since, until, why it ended, type and text of the key. "-" is: not yet.
: > "$work/keys"
enrol() { # event time, and lines "person type text" on the standard input
  while read -r person type text _; do line "$person $1 - - $type $text"; done >> "$work/keys"
}
end_others() { # event time. From version 4 of the rules on it ends keys that were revoked for a later time, where another is named.
  [ "$rules" -ge 4 ] || return 0
  seconds "$1"
  while read -r person since until why key; do
    case $why$named in
      revoked*"
$person $key
"*) ;;
      revoked*"
$person "*) [ "${until%Z}" -le "${second%Z}" ] || until=$second ;;
    esac
    line "$person $since $until $why $key"
  done < "$work/keys" > "$work/next"
  mv "$work/next" "$work/keys"
}
adopt() { # event time, and the file with the plan's authority
  tr '{},' '\n\n\n' < "$2" | while IFS= read -r word; do
    case $word in
      '"engine_key":"'*) line "engine ${word#*:\"}" ;;
      '"key":"'*) line "$person ${word#*:\"}" ;;
      '"'*'":') person=${word#\"} person=${person%\":} ;;
    esac
  done | tr -d '"' | while read -r person type text _; do line "$person $type $text"; done | sort > "$work/wanted"
  wanted="
$(cat "$work/wanted")
" kept="
" ended="
"
  named=$wanted
  end_others "$1"
  later=$(date -u -d "${1%%[.Z]*}Z + 1 second" +%Y%m%d%H%M%SZ)
  while read -r person since until why key; do
    case $until$wanted in
      -*"
$person $key
"*) kept="$kept$person $key
" ;;
      -*) until=$later why=replaced ;;
    esac
    [ "$why" != revoked ] || ended="$ended$person $key
"
    line "$person $since $until $why $key"
  done < "$work/keys" > "$work/next"
  mv "$work/next" "$work/keys"
  while IFS= read -r line_of; do
    case $kept$ended in *"
$line_of
"*) ;; *) line "$line_of" ;; esac
  done < "$work/wanted" > "$work/new"
  seconds "$1"
  enrol "$second" < "$work/new"
}
revoke() { # person, key, since, event time
  seconds "$3"
  while read -r person since until why key; do
    if [ "$person $key" = "$1 $2" ]; then
      if [ "$until" = - ] || [ "${until%Z}" -gt "${second%Z}" ]; then until=$second why=revoked; fi
    fi
    line "$person $since $until $why $key"
  done < "$work/keys" > "$work/next"
  mv "$work/next" "$work/keys"
  named="
$1 $2
"
  end_others "$4"
}
allowed() { # the keys as allowed_signers has them
  while read -r person since until _ key; do
    before=
    [ "$until" = - ] || before=",valid-before=\"$until\""
    line "$person namespaces=\"$namespace\",valid-after=\"$since\"$before $key"
  done < "$work/keys"
}
# The files that a payload names: "file DIGEST", and for documents with people's names "name PERSON DIGEST".
names() {
  within=
  printf '%s\n' "$1" | tr '{}[],' '\n\n\n\n\n' | while IFS= read -r word; do
    case $within$word in
      digests'"'*'":'*) within= ;;
      digests'"'*'"') line "file $word" ;;
      people'"'*'":"'*'"') line "name ${word%%\":*}\" ${word#*\":}"; continue ;;
      *) within= ;;
    esac
    case $word in
      '"digest":"'* | '"document":"'* | '"authority":"'*) line "file ${word#*:}" ;;
      '"digests":') within=digests ;;
      '"people":') within=people ;;
    esac
  done | tr -d '"'
}

# 1. Events: each event has the hash that is listed for it, and follows the event before it. What people signed, which keys count,
#    and which files there must be is taken from the events. On a signed site (the genesis has an owner's key) the engine signed
#    the hash of each of its own events, from version 2 of the rules on. Only the owner can say which events the rules refuse.
last=0000000000000000000000000000000000000000000000000000000000000000
events=0
size=0
owned=0
engine_signs=0
rules=1
believed=0
changes=
refused=" "
owner=
uuid=
genesis=
namespace=clusterwright
IFS= read -r event < events.jsonl
case $event in *'\"owner_key\":\"'*) owned=1 ;; esac
if [ -f refused ] && { [ "$owned" -eq 0 ] || [ -f manifest.sig ]; }; then refused=" $(cut -f 1 refused | tr '\n' ' ')"; fi
while IFS= read -r event && IFS= read -r hash <&3; do
  events=$((events + 1))
  size=$((size + ${#event} + 1))
  sum=$(printf %s "$event" | sha256sum)
  [ "${sum%% *}" = "$hash" ] || fault "event $events was changed: it does not have its listed hash"
  rest=${event##*\"prev_hash\":\"}
  [ "${rest%%\"*}" = "$last" ] || fault "event $events does not follow the event before it"
  last=$hash
  rest=${event##*,\"seq\":}
  [ "${rest%%,*}" = "$events" ] || fault "event $events says that it has another number"
  case $event in '{"actor":"'*) ;; *) fault "event $events does not begin with its actor" ;; esac
  actor=${event#*:\"}
  actor=${actor%%\"*}
  rest=${event##*\"recorded_at\":\"}
  recorded=${rest%%\"*}
  line "$recorded" >&4
  rest=${event#*,\"kind\":\"}
  kind=${rest%%\"*}
  payload=${event#*,\"payload\":\"}
  payload=${payload%%\",\"plan_revision\":*}
  plain=
  case $kind$payload in
    genesis* | rules.raised* | plan.adopted* | key.revoked* | person.redacted* | *'\"statement\":\"{'* | *'\"digest\":\"'* | *'\"digests\":['*) unescape "$payload" ;;
  esac
  case $refused in
    *" $events "*)
      printf '%s\t%s\t%s\n' "$events" "$kind" "$actor" >&6
      [ -z "$plain" ] || names "$plain" >&8
      continue
      ;;
  esac
  [ -z "$plain" ] || names "$plain" >&7
  if [ "$events" -eq 1 ]; then
    genesis=$hash
    uuid=$(first_of "$plain" site_uuid)
    owner=$(first_of "$plain" owner)
    case $plain in *'"rehearsal":true'*) namespace=clusterwright-rehearsal ;; esac
    rules=$(version_in "$plain")
    [ "$rules" -eq 1 ] || engine_signs=$owned
    if [ "$owned" -eq 1 ]; then
      seconds "$recorded"
      line "$owner $(first_of "$plain" owner_key)" | enrol "$second"
    fi
  fi
  case $payload in
    *',\"statement\":\"{'*)
      front=${plain%%,\"statement\":\"\{*}
      text=$(printf %s "$plain" | tail -c "+$((${#front} + 15))")
      whole=$plain
      unescape "${text%%\}\"*}}"
      statement=$plain plain=$whole
      name=$(printf %06d "$events")-$(first_of "$statement" decision)
      seconds "$recorded"
      printf '%s\t%s\t%s\t%s\n' "$name" "$actor" "$second" "$kind" >&5
      first_of "$statement" nonce >> "$work/nonces" && echo >> "$work/nonces"
      printf %s "$statement" | same "statements/$name.json" 2> /dev/null || fault "statements/$name.json is not the statement of event $events"
      subject=${event##*,\"subject\":\"}
      case $statement in *"\"name\":\"${subject%\"\}}\""*) ;; *) fault "event $events has a statement about something else" ;; esac
      [ "$(first_of "$statement" person)" = "$actor" ] || fault "event $events has a statement of somebody else"
      [ "$(first_of "$statement" genesis)" = "$genesis" ] || fault "event $events has a statement of another site"
      case $kind in plan.adopted | key.revoked) allowed > "$work/before-$events"; changes="$changes $events" ;; esac
      [ "$believed" -eq 0 ] || cat allowed_signers > "$work/before-$events"
      ;;
    *)
      case $owned$kind in 1plan.adopted | 1key.revoked | 1rules.raised | 1authority.* | 1person.redacted) fault "event $events ($kind) has no statement" ;; esac
      ;;
  esac
  case $kind in
    plan.adopted)
      authority=$(first_of "$plain" authority)
      if [ -z "$authority" ]; then believed=1
      elif [ -f "evidence/$authority" ]; then adopt "$recorded" "evidence/$authority"
      fi
      ;;
    key.revoked) revoke "$(first_of "$plain" person)" "$(first_of "$plain" key)" "$(first_of "$plain" since)" "$recorded" ;;
    person.redacted) line "$(first_of "$plain" person)" >> "$work/redacted" ;;
    rules.raised) rules=$(version_in "$plain") engine_signs=$owned; continue ;;
  esac
  if [ "$actor" = engine ] && [ "$engine_signs" -eq 1 ]; then line "$events $hash $recorded" >&9; fi
done < events.jsonl 3< hashes 4> "$work/recorded" 5> "$work/signed" 6> "$work/refused" 7> "$work/must" 8> "$work/may" 9> "$work/engine"
[ "$events" -eq "$(wc -l < events.jsonl)" ] && [ "$events" -eq "$(wc -l < hashes)" ] || fault "events.jsonl and hashes have different numbers of lines"
[ "$size" -eq "$(wc -c < events.jsonl)" ] && [ $((events * 65)) -eq "$(wc -c < hashes)" ] || fault "events.jsonl or hashes has more in it than lines"
before=$(sort -c < "$work/recorded" 2>&1) || fault "an event was recorded before the event before it (line, time): $before"
if [ -f refused ] && ! same refused < "$work/refused"; then
  fault "the list of refused events is not that of these events, or the owner did not sign it"
fi
printf '%s\n' "$namespace" | same namespace || fault "namespace is not $namespace"

# 2. Keys: allowed_signers is what the events say. Plans of 0.1.0 and 0.2.0 have the keys packed.
allowed > "$work/allowed"
if [ "$believed" -eq 1 ]; then
  cat allowed_signers > "$work/allowed"
elif ! same allowed_signers < "$work/allowed"; then
  fault "allowed_signers has other keys than the events"
fi

# 3. Signatures: each statement names an event of this ledger, and its person signed it, with a key that was valid at that time. A plan
#    is adopted with a key that counted before it. The engine signed each of its own events. What was recorded before its key was revoked
#    stays, as in the record. It is named if the revocation goes back further.
holds() { # the keys, who signed, the signature's file, and its time; the text is the standard input
  ssh-keygen -q -Y verify -f "$1" -I "$2" -n "$namespace" -s "$3" -O "verify-time=$4" > /dev/null 2>&1
}
keys_at() { # sets signers: the keys as they counted when the event of that number was recorded
  for change in $changes; do
    signers=$work/before-$change
    [ "$change" -lt "$1" ] || return 0
  done
  signers=$work/allowed
}
[ "$believed" -eq 0 ] || changes=
signed=0
: > "$work/tsv"
while IFS="$tab" read -r name person moment kind; do
  signed=$((signed + 1))
  file=statements/$name.json
  printf '%s\t%s\t%s\n' "$name" "$person" "$moment" >> "$work/tsv"
  printf '%s\n' "$file" "$file.sig" >> "$work/expected"
  [ -f "$file" ] && [ -f "$file.sig" ] || continue
  rest=$(cat "$file")
  rest=${rest##*\"head\":\{\"hash\":\"}
  head=${rest#*\"seq\":}
  [ "$(head -n "${head%%[!0-9]*}" hashes | tail -n 1)" = "${rest%%\"*}" ] || fault "$file was made over another ledger"
  number=$((1${name%%-*} - 1000000))
  signers=$work/allowed
  [ "$kind" != plan.adopted ] || signers=$work/before-$number
  size=$(wc -c < "$file" | tr -d ' ')
  { printf 'DSSEv1 28 application/vnd.in-toto+json %s ' "$size"; cat "$file"; } > "$work/text"
  if ! holds "$signers" "$person" "$file.sig" "$moment" < "$work/text"; then
    [ "$kind" = plan.adopted ] || keys_at "$number"
    if holds "$signers" "$person" "$file.sig" "$moment" < "$work/text"; then line "$file: signed by $person" >> "$work/later"
    else fault "$file: the signature of $person is invalid"
    fi
  fi
  armoured "$file.sig" || fault "$file.sig has more in it than a signature"
  envelope=statements/$name.dsse.json # packages of earlier releases have each statement in this form too
  [ -f "$envelope" ] || continue
  line "$envelope" >> "$work/expected"
  printf '{"payloadType": "application/vnd.in-toto+json", "payload": "%s", "signatures": [{"keyid": "%s", "sig": "%s"}]}\n' \
    "$(base64 -w 0 < "$file")" "$person" "$armour" | same "$envelope" || fault "$envelope is not the envelope of this statement"
done < "$work/signed"
same statements.tsv < "$work/tsv" || fault "statements.tsv is not the list of the statements in the events"
if [ -f "$work/nonces" ] && [ -n "$(sort "$work/nonces" | uniq -d)" ]; then fault "a statement counts more than once"; fi
engine=0
while read -r number hash recorded; do
  engine=$((engine + 1))
  seconds "$recorded"
  file=engine/$(printf %06d "$number").sig
  line "$file" >> "$work/expected"
  keys_at "$number"
  [ -f "$file" ] && printf 'clusterwright event %s' "$hash" | holds "$signers" engine "$file" "$second" ||
    fault "event $number is the engine's, and has no valid signature of it"
  [ ! -f "$file" ] || armoured "$file" || fault "$file has more in it than a signature"
done < "$work/engine"

# 4. Files: evidence is what the events name, and the name of each file is the digest of its content. Documents with the names of people
#    who were redacted are not there. No file was changed, removed or added.
hidden=" "
[ ! -f "$work/redacted" ] || hidden=" $(tr '\n' ' ' < "$work/redacted")"
while read -r what person digest; do
  case $what in file) digest=$person ;; name) case $hidden in *" $person "*) continue ;; esac ;; esac
  line "evidence/$digest"
done < "$work/must" >> "$work/expected"
while read -r what digest _; do
  if [ "$what" = file ] && [ -f "evidence/$digest" ]; then line "evidence/$digest"; fi
done < "$work/may" >> "$work/expected"
printf '%s\n' README.md SHA256SUMS allowed_signers events.jsonl hashes namespace statements.tsv status.json verify.sh >> "$work/expected"
for file in manifest manifest.sig refused; do [ ! -f "$file" ] || line "$file" >> "$work/expected"; done
[ ! -f manifest ] || echo refused >> "$work/expected" # packages of earlier releases have neither
for part in . statements engine evidence; do
  if [ -h "$part" ]; then fault "$part is a symbolic link"; fi
  [ -d "$part" ] || continue
  ls -A "$part" | while IFS= read -r name; do
    case $part/$name in ./statements | ./engine | ./evidence) ;; ./*) line "$name" ;; *) line "$part/$name" ;; esac
  done
done | sort > "$work/present"
sort -u "$work/expected" > "$work/wanted"
comm -23 "$work/present" "$work/wanted" > "$work/added"
comm -13 "$work/present" "$work/wanted" > "$work/missing"
while IFS= read -r file; do fault "$file does not belong to this package"; done < "$work/added"
while IFS= read -r file; do fault "$file is missing"; done < "$work/missing"
listed=1
while IFS= read -r file; do
  if [ -h "$file" ] || [ ! -f "$file" ]; then fault "$file is not a plain file"; listed=0; fi
done < "$work/present"
{ cut -c 67- SHA256SUMS; for file in SHA256SUMS manifest manifest.sig; do [ ! -f "$file" ] || line "$file"; done; } |
  sort | same "$work/present" || { fault "SHA256SUMS does not list every file once"; listed=0; }
# A pipe, or a device among the sums, would be read for ever. Then nothing is read.
[ "$listed" -eq 0 ] || sha256sum --quiet --strict -c SHA256SUMS || fault "files differ from SHA256SUMS"
while read -r sum file; do
  case $file in evidence/"$sum") ;; evidence/*) fault "$file was changed: its name is not the digest of its content" ;; esac
done < SHA256SUMS
files=$(wc -l < "$work/present" | tr -d ' ')

# 5. The owner's signature: of the manifest, which names the head, and by SHA256SUMS every file. Their key of the last event counts.
owner_signed=0
if [ -f manifest ]; then
  sum=$(sha256sum < SHA256SUMS)
  printf 'clusterwright turnover package\nsite %s\ngenesis %s\nhead %s %s\nfiles %s\n' \
    "$uuid" "$genesis" "$events" "$last" "${sum%% *}" | same manifest || fault "the manifest is not that of this package"
fi
if [ -f manifest.sig ] && [ -f manifest ]; then
  while read -r person _ until _ key; do
    if [ "$person $until" = "$owner -" ]; then line "$person namespaces=\"$namespace\" $key"; fi
  done < "$work/keys" > "$work/owner"
  armoured manifest.sig || fault "manifest.sig has more in it than a signature"
  if ssh-keygen -q -Y verify -f "$work/owner" -I "$owner" -n "$namespace" -s manifest.sig < manifest > /dev/null 2>&1; then
    owner_signed=1
  else
    fault "the signature of $owner, the owner, over the manifest is invalid"
  fi
fi

if [ -s refused ] && [ "$refused" != " " ]; then
  echo "The rules refuse $(wc -l < refused | tr -d ' ') events, and these change nothing (number, kind, actor):"
  shown < refused
fi
if [ -f "$work/later" ]; then
  echo "Recorded before the key was revoked, and after the time from which it was. Ask these people whether they signed:"
  shown < "$work/later"
fi
if [ "$bad" -ne 0 ]; then echo "This package is NOT valid."; exit 1; fi
[ "$namespace" = clusterwright ] || echo "A REHEARSAL: people and hardware are simulated. It proves nothing about a real site."
fit="$events events, $signed signatures of people and $engine of the engine, $files files"
if [ "$owner_signed" -eq 1 ]; then
  line "$fit: this package is valid, and $owner, the owner, signed it." | shown
  echo "What status.json says was not worked out here: \`clusterwright audit\` does that from the events."
else
  echo "$fit: CHAIN ONLY. Nothing is wrong up to this head, and the owner has not signed the package."
  echo "Not proven: that these are the last events, which events the rules refuse, README.md, status.json and verify.sh."
fi
if [ "$believed" -eq 1 ]; then echo "Not worked out here: keys. A plan of an earlier release has them packed, so allowed_signers was believed."; fi
if [ "$owned" -eq 1 ]; then
  echo "Ask the owner, by another way, whether these are the head and the first key of theirs:"
  IFS= read -r text < "$work/keys"
  line "${text#* * * * }" > "$work/first"
  ssh-keygen -l -f "$work/first"
else
  echo "Nobody signs at this site. Ask its owner, by another way, whether this is the head:"
fi
echo "head $last"
[ "$owner_signed" -eq 1 ] || exit 4
