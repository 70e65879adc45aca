// What the worker makes of a push, and which window a tap brings to the front.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { countUnread, openAt, readAlert, shownAs } from './push'

const sent = {
  title: 'New lead',
  body: 'Ana Diaz',
  url: '/app/leads/1',
  tag: 'lead:1',
  leadId: '1',
  deviceId: 'd1',
  urgent: true,
  test: false,
}

describe('a push', () => {
  it('is shown as it was sent, with nothing but an address in its data', () => {
    const { title, options } = shownAs(readAlert(JSON.stringify(sent)))
    expect(title).toBe('New lead')
    expect(options).toMatchObject({
      body: 'Ana Diaz',
      tag: 'lead:1',
      renotify: true,
      requireInteraction: true,
      data: { url: '/app/leads/1' },
    })
  })

  it('is shown when nothing of it can be read', () => {
    for (const text of [undefined, '', 'x{', '7', 'null', '[]']) expect(shownAs(readAlert(text)).title).toBe('Toolbox')
  })

  it('never leads out of the app', () => {
    for (const url of [
      'https://elsewhere.example/',
      '//elsewhere.example',
      String.raw`/\elsewhere.example`,
      'javascript:alert(1)',
      7,
    ]) {
      expect(readAlert(JSON.stringify({ ...sent, url })).url).toBe('/app')
    }
  })

  it('has a tag of its lead when it brings none', () => {
    expect(readAlert(JSON.stringify({ ...sent, tag: '' })).tag).toBe('lead:1')
  })
})

function aWindow(path: string, visibilityState: DocumentVisibilityState, hears: boolean) {
  const postMessage = vi.fn<(message: unknown, ports: MessagePort[]) => void>((_message, [port]) => {
    if (hears) port?.postMessage('HEARD')
  })
  return {
    url: `https://toolbox.test${path}`,
    visibilityState,
    postMessage,
    focus: vi.fn<() => Promise<void>>(async () => undefined),
    navigate: vi.fn<(url: string) => Promise<null>>(async () => null),
  }
}

function clientsWith(...windows: ReturnType<typeof aWindow>[]) {
  const openWindow = vi.fn<(url: string) => Promise<null>>(async () => null)
  return { openWindow, clients: { matchAll: async () => windows, openWindow } as unknown as Clients }
}

describe('a tap', () => {
  it('brings the window in sight to the front and tells it where to go', async () => {
    const [hidden, seen] = [aWindow('/app/leads', 'hidden', true), aWindow('/app/inbox', 'visible', true)]
    const { clients, openWindow } = clientsWith(hidden, seen)
    await openAt(clients, '/app/leads/1')
    expect(seen.focus).toHaveBeenCalledOnce()
    expect(seen.postMessage.mock.calls[0]?.[0]).toEqual({ type: 'NAVIGATE', url: '/app/leads/1' })
    expect(hidden.postMessage).not.toHaveBeenCalled()
    expect(seen.navigate).not.toHaveBeenCalled()
    expect(openWindow).not.toHaveBeenCalled()
  })

  it('loads the address in a window that does not hear', async () => {
    vi.useFakeTimers()
    const deaf = aWindow('/app/leads', 'visible', false)
    const opening = openAt(clientsWith(deaf).clients, '/app/leads/1')
    await vi.runAllTimersAsync()
    await opening
    vi.useRealTimers()
    expect(deaf.navigate).toHaveBeenCalledWith('/app/leads/1')
  })

  it('opens a window where there is none of the app: a form for customers is not one', async () => {
    const { clients, openWindow } = clientsWith(aWindow('/lead?org=acme', 'visible', true))
    await openAt(clients, '/app/leads/1')
    expect(openWindow).toHaveBeenCalledWith('/app/leads/1')
  })
})

describe('the number on the icon of the closed app', () => {
  const setAppBadge = vi.fn<(count?: number) => Promise<void>>()

  function startCounting() {
    setAppBadge.mockReset().mockResolvedValue(undefined)
    Object.assign(navigator, { setAppBadge })
    const answer = vi.fn<(path: string) => Promise<Response>>()
    vi.stubGlobal('fetch', answer)
    return answer
  }

  afterEach(() => {
    Reflect.deleteProperty(navigator, 'setAppBadge')
  })

  it('is what the server counts as unread', async () => {
    startCounting().mockResolvedValue(new Response('[]', { headers: { 'X-Unread-Count': '4' } }))
    await countUnread()
    expect(setAppBadge.mock.calls).toEqual([[4]])
  })

  it('stays as it was for who is signed out, and without a network', async () => {
    const answer = startCounting()
      .mockResolvedValueOnce(new Response('{}', { status: 401 }))
      .mockRejectedValueOnce(new TypeError('Failed to fetch'))
    await countUnread()
    await countUnread()
    expect(answer).toHaveBeenCalledTimes(2)
    expect(setAppBadge).not.toHaveBeenCalled()
  })
})
