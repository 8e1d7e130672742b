document.querySelectorAll("[data-costs]").forEach(function (box) {
  var data = JSON.parse(box.dataset.costs), range = box.querySelector("input"), choice = box.querySelector("select");
  var cells = box.querySelectorAll("td"), output = box.querySelector("output");
  function percent(share) {
    return share > 0 && share < 0.005 ? "< 1 %" : share >= 0.995 && share < 1 ? "> 99 %" : Math.round(100 * share) + " %";
  }
  function shown(times) { return String(+times.toPrecision(2)); }
  function show() {
    var which = choice ? choice.selectedIndex : 0, cost = data.costs[range.value], missed = data.missed[which];
    var rows = 0, wrong = 0, paid = 0, place = 0;
    data.matrices[which][range.value].forEach(function (line, actual) {
      var sum = line.reduce(function (a, b) { return a + b; }, 0);
      rows += sum;
      line.forEach(function (count, predicted) {
        var cell = cells[place++], share = sum ? count / sum : 0;
        if (actual !== predicted) { wrong += count; paid += count * data.base[actual][predicted] * (actual === missed ? cost : 1); }
        cell.firstChild.textContent = count.toLocaleString("en");
        cell.lastChild.textContent = percent(share);
        cell.style.setProperty("--share", share.toFixed(3));
      });
    });
    range.setAttribute("aria-valuetext", String(cost));
    box.querySelector(".cost").textContent = cost >= 1 ? shown(cost) : "1/" + shown(1 / cost);
    output.textContent = wrong.toLocaleString("en") + " of " + rows.toLocaleString("en") + " rows wrong, cost per row "
      + (paid / rows).toPrecision(3) + (+range.value === data.saved ? ": the saved model." : ".");
  }
  range.addEventListener("input", show);
  if (choice) choice.addEventListener("change", show);
  box.querySelector(".slider").hidden = false;
  show();
});
