#!/usr/bin/env bash
# Compiles the proofs beside this script in the folder $1, has coqchk check what was compiled, and prints of every
# theorem in theorems.txt what it assumes; a theorem that assumes anything is an error. What was accepted stands in
# accepted.txt beside this script: a digest of each file, and each theorem. Where that said something else it is
# written anew, and that is an error too: the ledger goes by it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$1" && mkdir -p "$1"
cp "$here"/*.v "$1"
cd "$1"
files=$(grep '\.v$' "$here/_CoqProject")
for file in $files; do
    began=$(date +%s%N)
    coqc -q "$file"
    echo "$file: $(wc -l < "$file") lines, $((($(date +%s%N) - began) / 1000000)) ms"
done
coqchk -silent ${files//.v/}
echo "coqchk: ok"
names=$(sort -u -k 2,3 "$here/theorems.txt" | while read -r _ file theorem; do echo "${file%.v}.$theorem"; done)
for name in $names; do
    printf 'Require %s.\nPrint Assumptions %s.\n' "${name%.*}" "$name"
done > Assumptions.v
coqc -q Assumptions.v > assumed.txt
rm Assumptions.v
paste -d ' ' <(echo "$names") assumed.txt
wanted=$(for name in $names; do echo "Closed under the global context"; done)
[ "$(cat assumed.txt)" = "$wanted" ] || { echo "a theorem assumes something" >&2; exit 1; }
{ sha256sum -- *.v; for name in $names; do echo "closed $name"; done; } | LC_ALL=C sort -k 2 > accepted.txt
cmp -s accepted.txt "$here/accepted.txt" && exit
cp accepted.txt "$here/accepted.txt"
echo "accepted.txt was not that of these proofs, and is now" >&2
exit 1
