// SPDX-License-Identifier: BSD-2-Clause
// The flame graph in the browser: a click on a box makes it as wide as the picture, `whole` goes back,
// `search` colours the boxes whose names hold a word and says how many samples they cover.
// The n-th label belongs to the n-th box.
(function () {
  var flame = document.getElementById("flame"), boxes = document.getElementById("boxes");
  var note = document.getElementById("note");
  var rects = [].slice.call(boxes.querySelectorAll(".box"));
  var labels = [].slice.call(flame.querySelectorAll(".label"));
  var samples = +flame.dataset.samples, width = +flame.dataset.width, letter = +flame.dataset.letter;
  var rows = boxes.getAttribute("viewBox").split(" ")[3];

  function number(rect, name) { return +rect.getAttribute(name); }

  function show(start, count) {
    boxes.setAttribute("viewBox", start + " 0 " + count + " " + rows);
    rects.forEach(function (rect, i) {
      var from = Math.max(number(rect, "x"), start);
      var to = Math.min(number(rect, "x") + number(rect, "width"), start + count);
      var room = Math.floor(((to - from) * width / count - 6) / letter), name = rect.dataset.name;
      labels[i].setAttribute("x", (from - start) * width / count + 3);
      labels[i].textContent = room >= name.length ? name : room >= 4 ? name.slice(0, room - 2) + ".." : "";
    });
  }

  function search() {
    var word = prompt("Part of a name:", ""), covered = 0, end = 0;
    var found = rects.filter(function (rect) {
      var match = word && rect.dataset.name.indexOf(word) >= 0;
      rect.style.fill = match ? "#c060e0" : "";
      return match;
    });
    found.sort(function (a, b) { return number(a, "x") - number(b, "x") || number(b, "width") - number(a, "width"); });
    found.forEach(function (rect) {
      var from = Math.max(number(rect, "x"), end), to = number(rect, "x") + number(rect, "width");
      if (to > from) { covered += to - from; end = to; }
    });
    note.textContent = word ? word + ": " + covered + " of " + samples + " samples, " +
      (100 * covered / samples).toFixed(2) + "%" : samples + " samples";
  }

  rects.forEach(function (rect) {
    rect.addEventListener("click", function () { show(number(rect, "x"), number(rect, "width")); });
    rect.addEventListener("mouseenter", function () { note.textContent = rect.querySelector("title").textContent; });
  });
  document.getElementById("whole").addEventListener("click", function () { show(0, samples); });
  document.getElementById("search").addEventListener("click", search);
})();
