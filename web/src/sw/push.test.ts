import { afterEach, describe, expect, it, vi } from 'vitest'
import { updateBadge, openUrl, parseAlert, toNotification } from './push'

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

describe('push notification', () => {
  it('is shown as sent, with only an address in its data', () => {
    const { title, options } = toNotification(parseAlert(JSON.stringify(sent)))
    expect(title).toBe('New lead')
    expect(options).toMatchObject({
      body: 'Ana Diaz',
      tag: 'lead:1',
      renotify: true,
      requireInteraction: true,
      data: { url: '/app/leads/1' },
    })
  })

  it('is shown when unreadable', () => {
    for (const text of [undefined, '', 'x{', '7', 'null', '[]'])
      expect(toNotification(parseAlert(text)).title).toBe('Toolbox')
  })

  it('never leads out of the app', () => {
    for (const url of [
      'https://elsewhere.example/',
      '//elsewhere.example',
      String.raw`/\elsewhere.example`,
      'javascript:alert(1)',
      7,
    ]) {
      expect(parseAlert(JSON.stringify({ ...sent, url })).url).toBe('/app')
    }
  })

  it('uses the lead as tag when it has none', () => {
    expect(parseAlert(JSON.stringify({ ...sent, tag: '' })).tag).toBe('lead:1')
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

describe('notification tap', () => {
  it('focuses the visible window and navigates it', async () => {
    const [hidden, seen] = [aWindow('/app/leads', 'hidden', true), aWindow('/app/inbox', 'visible', true)]
    const { clients, openWindow } = clientsWith(hidden, seen)
    await openUrl(clients, '/app/leads/1')
    expect(seen.focus).toHaveBeenCalledOnce()
    expect(seen.postMessage.mock.calls[0]?.[0]).toEqual({ type: 'NAVIGATE', url: '/app/leads/1' })
    expect(hidden.postMessage).not.toHaveBeenCalled()
    expect(seen.navigate).not.toHaveBeenCalled()
    expect(openWindow).not.toHaveBeenCalled()
  })

  it('loads the address in a window that does not reply', async () => {
    vi.useFakeTimers()
    const deaf = aWindow('/app/leads', 'visible', false)
    const opening = openUrl(clientsWith(deaf).clients, '/app/leads/1')
    await vi.runAllTimersAsync()
    await opening
    vi.useRealTimers()
    expect(deaf.navigate).toHaveBeenCalledWith('/app/leads/1')
  })

  it('opens a window where only public forms are open', async () => {
    const { clients, openWindow } = clientsWith(aWindow('/lead?org=acme', 'visible', true))
    await openUrl(clients, '/app/leads/1')
    expect(openWindow).toHaveBeenCalledWith('/app/leads/1')
  })
})

describe('badge of the closed app', () => {
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

  it('shows how many wait', async () => {
    const answer = startCounting().mockResolvedValue(
      new Response(JSON.stringify({ waiting: 4, late: 1, isCapped: false })),
    )
    await updateBadge()
    expect(answer.mock.calls[0]?.[0]).toBe('/api/worklist/count')
    expect(setAppBadge.mock.calls).toEqual([[4]])
  })

  it('stays when signed out or offline', async () => {
    const answer = startCounting()
      .mockResolvedValueOnce(new Response('{}', { status: 401 }))
      .mockRejectedValueOnce(new TypeError('Failed to fetch'))
    await updateBadge()
    await updateBadge()
    expect(answer).toHaveBeenCalledTimes(2)
    expect(setAppBadge).not.toHaveBeenCalled()
  })
})
