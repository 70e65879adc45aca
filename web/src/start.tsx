// Starts the app.
import { onlineManager } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Providers } from './app/providers'
import { Router } from './app/router'
import { isDemoMode } from './lib/demo'
import { currentLanguage } from './lib/i18n'
import { followDeviceTheme } from './lib/theme'
import { startInstallWatch } from './pwa/install'
import { showSavedToast } from './features/session/saved-toast'
import './styles/theme.css'

const root = document.querySelector('#root')
if (!root) throw new Error('index.html has no #root')

// TanStack Query assumes online by default.
onlineManager.setOnline(navigator.onLine)
startInstallWatch()
followDeviceTheme()
showSavedToast()

createRoot(root).render(
  <StrictMode>
    <Providers>
      <Router />
    </Providers>
  </StrictMode>,
)

async function startWorker(): Promise<void> {
  // No service worker without TLS, nor in the demonstration.
  if (!import.meta.env.PROD || isDemoMode() || !('serviceWorker' in navigator)) return
  const { registerWorker } = await import('./pwa/register-worker')
  await registerWorker()
  if (currentLanguage() === 'en') return
  const { keepShownTexts } = await import('./offline/keep-shown-texts')
  await keepShownTexts()
}

async function startTooltips(): Promise<void> {
  const tooltip = await import('./ui/tooltip')
  tooltip.startTooltips()
}

function startDeferred(): void {
  void startTooltips()
  void startWorker()
}

// After the first screen, to leave it the bandwidth.
if (document.readyState === 'complete') startDeferred()
else globalThis.addEventListener('load', startDeferred, { once: true })
