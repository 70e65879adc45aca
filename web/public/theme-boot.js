// Sets theme and panel style before the first paint, so that nobody sees the wrong one flash.
(function () {
  var root = document.documentElement
  try {
    var day = localStorage.getItem('toolbox.theme') === 'toolbox-day'
    var solid = localStorage.getItem('toolbox.solid')
    root.dataset.theme = day ? 'toolbox-day' : 'toolbox'
    if (day) document.querySelector('meta[name="theme-color"]').setAttribute('content', '#f2f5fa')
    // A phone with little memory gets panels that cost it nothing to draw.
    if (solid === 'on' || (solid === null && navigator.deviceMemory < 4)) root.dataset.solid = ''
  } catch (refused) {
    // Storage can be forbidden (private mode); the dark default of the page then stands.
    root.dataset.theme = 'toolbox'
  }
})()
