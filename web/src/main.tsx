// Starts the app.
import { onlineManager } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Providers } from './app/providers'
import { Router } from './app/router'
import { inDemo } from './lib/demo'
import { watchInstall } from './pwa/install'
import { showKeptToast } from './session/after-reload'
import './styles/theme.css'

const root = document.querySelector('#root')
if (!root) throw new Error('index.html has no #root')

// The query library believes in a network until it is told.
onlineManager.setOnline(navigator.onLine)
watchInstall()
showKeptToast()

createRoot(root).render(
  <StrictMode>
    <Providers>
      <Router />
    </Providers>
  </StrictMode>,
)

async function startWorker(): Promise<void> {
  // Without a secure address there is none; the demonstration needs none, and lets no new version into the tabs of the own business.
  if (!import.meta.env.PROD || inDemo() || !('serviceWorker' in navigator)) return
  const { registerWorker } = await import('./pwa/register-worker')
  await registerWorker()
}

/** Every button has its name without them. */
async function startTooltips(): Promise<void> {
  const tooltip = await import('./ui/tooltip')
  tooltip.startTooltips()
}

function startTheRest(): void {
  void startTooltips()
  void startWorker()
}

// After the first screen: these downloads would compete with it.
if (document.readyState === 'complete') startTheRest()
else globalThis.addEventListener('load', startTheRest, { once: true })
