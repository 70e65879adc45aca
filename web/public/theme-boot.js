// Sets theme and panel style before the first paint, so that nobody sees the wrong one flash.
(function () {
  var root = document.documentElement
  // The form of a business follows the device (src/lib/business-form.ts).
  var isForm = /^\/(lead|quote|quote-request)\/?$/.test(location.pathname) && /[?&](org|orgId)=[^&]/.test(location.search)
  if (isForm) {
    root.dataset.look = 'business'
    root.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'toolbox' : 'toolbox-day'
  }
  try {
    if (!isForm) root.dataset.theme = localStorage.getItem('toolbox.theme') === 'toolbox-day' ? 'toolbox-day' : 'toolbox'
    var solid = localStorage.getItem('toolbox.solid')
    // A phone with little memory gets panels that cost it nothing to draw.
    if (solid === 'on' || (solid === null && navigator.deviceMemory < 4)) root.dataset.solid = ''
  } catch (refused) {
    // Storage can be forbidden (private mode); the dark default of the page then stands.
    if (!isForm) root.dataset.theme = 'toolbox'
  }
  if (root.dataset.theme === 'toolbox-day') document.querySelector('meta[name="theme-color"]').setAttribute('content', '#f2f5fa')
})()
