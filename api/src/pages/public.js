// What a script adds to the pages: totals that follow a tap, a pad to sign on, one sending per tap, the present state
// when the reader comes back, and a word to the business that somebody looked. Everything else works without it.
'use strict'
document.documentElement.classList.add('scripted')

const form = document.getElementById('estimate')

// Totals are reckoned where the money is: the page is asked for anew with what is chosen, and its sums are shown.
let asked = 0
async function reckon() {
  const chosen = new URLSearchParams()
  for (const [name, value] of new FormData(form)) if (name === 'option' || name === 'add') chosen.append(name, value)
  const turn = ++asked
  try {
    const answer = await fetch(`${location.pathname}?${chosen}`, { headers: { accept: 'text/html' } })
    if (!answer.ok || turn !== asked) return
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const copy = (selector) => {
      for (const old of document.querySelectorAll(selector)) {
        const key = old.dataset.total
        const found = fresh.querySelector(key ? `[data-total="${CSS.escape(key)}"]` : selector)
        if (found) old.replaceChildren(...found.childNodes)
      }
    }
    copy('#sums')
    copy('[data-total]')
    copy('[data-sum]')
  } catch {
    // Without a network the sums stay as they are; approving asks the server again.
  }
}

function fit() {
  const option = form.querySelector('input[name="option"]:checked')
  for (const card of form.querySelectorAll('[data-only]')) {
    const isOut = !option || card.dataset.only !== option.value
    const box = card.querySelector('input')
    card.classList.toggle('out', isOut)
    box.disabled = isOut
    if (isOut) box.checked = false
  }
}

if (form) {
  form.addEventListener('change', (event) => {
    if (!event.target.matches('input[name="option"], input[name="add"]')) return
    fit()
    void reckon()
  })
  fit()
}

// The pad. Strokes are kept in thousandths of its width, so that they look the same on every screen and on paper.
const pad = document.querySelector('.pad')
if (pad) {
  pad.hidden = false
  const canvas = pad.querySelector('canvas')
  const kept = pad.querySelector('input')
  const pen = canvas.getContext('2d')
  let strokes = []
  try {
    strokes = JSON.parse(kept.value) || []
  } catch {
    strokes = []
  }
  const show = () => {
    pen.clearRect(0, 0, canvas.width, canvas.height)
    pen.lineWidth = 6
    pen.lineCap = pen.lineJoin = 'round'
    pen.strokeStyle = '#101820'
    for (const stroke of strokes) {
      pen.beginPath()
      stroke.forEach(([x, y], n) => (n ? pen.lineTo(x, y) : pen.moveTo(x, y)))
      if (stroke.length === 1) pen.lineTo(stroke[0][0] + 0.1, stroke[0][1])
      pen.stroke()
    }
    kept.value = strokes.length ? JSON.stringify(strokes) : ''
  }
  const point = (event) => {
    const box = canvas.getBoundingClientRect()
    return [event.clientX - box.left, event.clientY - box.top].map((part) => Math.round((part * 1000) / box.width))
  }
  let drawing = null
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId)
    drawing = [point(event)]
    strokes.push(drawing)
    show()
    event.preventDefault()
  })
  canvas.addEventListener('pointermove', (event) => {
    if (!drawing) return
    const next = point(event)
    const last = drawing[drawing.length - 1]
    if (Math.hypot(next[0] - last[0], next[1] - last[1]) < 4) return
    drawing.push(next)
    show()
  })
  for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, () => (drawing = null))
  pad.addEventListener('click', (event) => {
    const what = event.target.dataset.pad
    if (what === 'undo') strokes.pop()
    if (what === 'clear') strokes = []
    if (what) show()
  })
  show()
}

// A page that was left open shows the present state when its reader comes back. What they typed stays.
const parts = [...document.querySelectorAll('[data-current]')]
const shown = new Map(parts.map((part) => [part, part.innerHTML]))
const LOOKS_APART_MS = 3000
let lookedAt = Date.now()
let isSending = false
const listTyped = (within) =>
  [...within.querySelectorAll('textarea, input:not([type="hidden"]):not([type="checkbox"])')].filter(
    (field) => field.value !== field.defaultValue,
  )
const hasTyped = () => listTyped(document).length > 0

function replacePart(part, found) {
  const typed = listTyped(part)
  const isOpen = Boolean(part.querySelector('details[open]'))
  part.replaceChildren(...document.importNode(found, true).childNodes)
  for (const { name, value } of typed) {
    const field = part.querySelector(`[name="${CSS.escape(name)}"]`)
    if (field) field.value = value
  }
  const details = part.querySelector('details')
  if (details && isOpen) details.open = true
}

async function look() {
  // A page that came in answer to a form has no address of its own that could be asked for.
  const { page } = parts[0].dataset
  const isLink = page.startsWith('/p/')
  const isAnswer = location.pathname !== page || (!isLink && location.search === '')
  if (isAnswer && !isLink) return
  const address = isAnswer ? page : location.pathname + location.search
  try {
    const answer = await fetch(address, { headers: { accept: 'text/html' }, cache: 'no-store' })
    if (isSending) return
    const isGone = answer.status === 404 || answer.status === 410
    if (!answer.ok && !isGone) return
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const find = (part) => fresh.querySelector(`[data-current="${CSS.escape(part.dataset.current)}"]`)
    // Another page, such as that of the visit which was booked meanwhile.
    if (parts.some((part) => !find(part)) && !hasTyped()) {
      location.replace(isGone ? address : answer.url)
      return
    }
    for (const part of parts) {
      const found = find(part)
      if (!found && part.dataset.gone) part.textContent = part.dataset.gone
      if (!found || found.innerHTML === shown.get(part)) continue
      shown.set(part, found.innerHTML)
      replacePart(part, found)
    }
    document.title = fresh.title || document.title
  } catch {
    // Without a network the page stays as it is; every press asks the server.
  }
}

if (parts.length) {
  const comesBack = () => {
    if (document.visibilityState !== 'visible' || isSending || Date.now() - lookedAt < LOOKS_APART_MS) return
    lookedAt = Date.now()
    void look()
  }
  document.addEventListener('visibilitychange', comesBack)
  addEventListener('focus', comesBack)
}

// One tap, one sending.
document.addEventListener('submit', (event) => {
  isSending = true
  const button = event.submitter
  if (!button || !button.dataset.sending) return
  button.textContent = button.dataset.sending
  // Disabled only after the form is read.
  setTimeout(() => (button.disabled = true))
})
// Back from the next page: the button works again.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})

// A second of looking is a look; a program that follows links does not stay that long.
const seen = document.querySelector('[data-seen]')
if (seen) {
  const tell = () => {
    if (document.visibilityState !== 'visible') return
    document.removeEventListener('visibilitychange', later)
    void fetch(seen.dataset.seen, { method: 'POST', keepalive: true })
  }
  const later = () => setTimeout(tell, 1000)
  document.addEventListener('visibilitychange', later)
  later()
}
