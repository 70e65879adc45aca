// Install card, shown after some use, dismissible.
import type { ReactNode } from 'react'
import { Button, IconButton } from '@/ui/button'
import { Icon, type IconName } from '@/ui/icon'
import { dismissInstall, promptInstall, useInstallMethod } from './install'

export function InstallCard() {
  const method = useInstallMethod()
  if (method === null) return null
  return (
    <section aria-label="Install Toolbox" className="glass-card p-4">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-crew">Keep Toolbox on your home screen</h2>
          <p className="text-note text-muted">It opens full screen, and shows your last leads even without a signal.</p>
        </div>
        <IconButton label="Do not show this again" icon="close" className="-mt-2 -mr-2" onClick={dismissInstall} />
      </div>
      {method === 'prompt' ? (
        <Button className="mt-3" icon="download" onClick={() => void promptInstall()}>
          Install app
        </Button>
      ) : (
        <IosSteps />
      )}
    </section>
  )
}

function IosSteps() {
  return (
    <ol className="mt-3 grid gap-2 sm:grid-cols-3">
      <Step number={1} icon="share-up">
        Tap <strong>Share</strong> in the browser’s bar
      </Step>
      <Step number={2} icon="plus">
        Choose <strong>Add to Home Screen</strong>
      </Step>
      <Step number={3} icon="check">
        Tap <strong>Add</strong>, then open Toolbox from there
      </Step>
    </ol>
  )
}

function Step({ number, icon, children }: { number: number; icon: IconName; children: ReactNode }) {
  return (
    <li className="flex items-center gap-3 rounded-field border border-primary/30 p-3 text-note">
      <span className="grid size-10 shrink-0 place-items-center rounded-field bg-primary/8 text-primary">
        <Icon name={icon} />
      </span>
      <span>
        <span className="sr-only">Step {number}: </span>
        {children}
      </span>
    </li>
  )
}
