// Starts the app.
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Providers } from './app/providers'
import { Router } from './app/router'
import { showKeptToast } from './session/after-reload'
import './styles/theme.css'

const root = document.querySelector('#root')
if (!root) throw new Error('index.html has no #root')

showKeptToast()

createRoot(root).render(
  <StrictMode>
    <Providers>
      <Router />
    </Providers>
  </StrictMode>,
)
