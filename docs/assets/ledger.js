const rows = [...document.querySelectorAll("#rows tbody tr")];
const [words, verdict, count] = ["input", "select", "output"].map((name) => document.querySelector("#filter " + name));

for (const name of new Set(rows.map((row) => row.cells[1].textContent))) verdict.add(new Option(name));

function show() {
  const wanted = words.value.toLowerCase().split(/\s+/);
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    const told = !verdict.value || row.cells[1].textContent === verdict.value;
    row.hidden = !told || !wanted.every((word) => text.includes(word));
  }
  count.value = rows.filter((row) => !row.hidden).length.toLocaleString("en") + " rows";
}

function leadOn() {
  const link = document.querySelector(`#rows a[href$="${CSS.escape(location.hash.slice(1))}"]`);
  if (location.hash && link) location.replace(link.href);
}

words.addEventListener("input", show);
verdict.addEventListener("change", show);
show();
leadOn();
