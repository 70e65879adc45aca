// Sets theme and panel style before the first paint, so that nobody sees the wrong one flash.
(function () {
  var root = document.documentElement
  var device = matchMedia('(prefers-color-scheme: dark)').matches ? 'toolbox' : 'toolbox-day'
  // The form of a business follows the device (src/lib/business-form.ts).
  var isForm = /^\/(lead|quote|quote-request)\/?$/.test(location.pathname) && /[?&](org|orgId)=[^&]/.test(location.search)
  if (isForm) root.dataset.look = 'business'
  try {
    var chosen = localStorage.getItem('toolbox.theme')
    if (chosen === 'toolbox' || chosen === 'toolbox-day') root.dataset.chosenTheme = chosen
    var solid = localStorage.getItem('toolbox.solid')
    // A phone with little memory gets panels that cost it nothing to draw.
    if (solid === 'on' || (solid === null && navigator.deviceMemory < 4)) root.dataset.solid = ''
  } catch (refused) {
    // Storage can be forbidden (private mode); the device's setting applies.
  }
  root.dataset.theme = (!isForm && root.dataset.chosenTheme) || device
  if (root.dataset.theme === 'toolbox-day') document.querySelector('meta[name="theme-color"]').setAttribute('content', '#f2f5fa')
})()
