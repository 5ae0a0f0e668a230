#!/usr/bin/env bash
# Compiles the proofs beside this script in the folder $1, has coqchk check what was compiled, and prints of every
# theorem in theorems.txt what it assumes; a theorem that assumes anything is an error.
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
sort -u -k 2,3 "$here/theorems.txt" | while read -r _ file theorem; do
    printf 'Require %s.\nPrint Assumptions %s.%s.\n' "${file%.v}" "${file%.v}" "$theorem" > Assumptions.v
    assumed=$(coqc -q Assumptions.v)
    echo "$theorem: $assumed"
    [ "$assumed" = "Closed under the global context" ]
done
