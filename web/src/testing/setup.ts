// What jsdom lacks, and a clean slate after each test.
import '@testing-library/jest-dom/vitest'
import { webcrypto } from 'node:crypto'
import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'
import { sessionExpired } from '@/api/session-expired'
import { queryClient } from '@/app/query-client'
import { resetDemoMode } from '@/lib/demo'
import { storeKeys } from '@/offline/store-keys'
import { stopErrorLog } from '@/ui/toast/error-log'
import { resetToasts } from '@/ui/toast/toast-store'
import { FakeEventSource } from './fake-events'

// A machine that stalls must not decide a test: only what never comes fails it.
configure({ asyncUtilTimeout: 15_000 })

// jsdom has no modal dialogs; open and closed is all the tests look at.
HTMLDialogElement.prototype.showModal ??= function showModal(this: HTMLDialogElement) {
  this.open = true
}
HTMLDialogElement.prototype.close ??= function close(this: HTMLDialogElement) {
  this.open = false
}
// Nor streams of events.
Object.assign(globalThis, { EventSource: FakeEventSource })
// Nor does it encrypt.
Object.defineProperty(globalThis.crypto, 'subtle', { value: webcrypto.subtle, configurable: true })
// Nor does it lay out, so nothing can be scrolled to.
globalThis.scrollTo = () => undefined
Element.prototype.scrollIntoView = () => undefined

afterEach(() => {
  cleanup()
  resetToasts()
  stopErrorLog()
  sessionExpired.clear()
  queryClient.clear()
  storeKeys.forgetMemory()
  FakeEventSource.opened = []
  // Some tests stand in the demonstration.
  history.replaceState(null, '', '/')
  resetDemoMode()
  sessionStorage.clear()
  localStorage.clear()
  document.documentElement.dataset['theme'] = 'toolbox'
  delete document.documentElement.dataset['chosenTheme']
  delete document.documentElement.dataset['solid']
})
