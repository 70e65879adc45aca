// Install card, shown after some use, dismissible.
import type { ReactNode } from 'react'
import { t } from '@/lib/i18n'
import { Button, IconButton } from '@/ui/button'
import { Icon, type IconName } from '@/ui/icon'
import { dismissInstall, promptInstall, useInstallMethod } from './install'

export function InstallCard() {
  const method = useInstallMethod()
  if (method === null) return null
  return (
    <section aria-label={t('Install Toolbox')} className="glass-card p-4">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-crew">{t('Keep Toolbox on your home screen')}</h2>
          <p className="text-note text-muted">
            {t('It opens full screen, and shows your last leads even without a signal.')}
          </p>
        </div>
        <IconButton label={t('Do not show this again')} icon="close" className="-mt-2 -mr-2" onClick={dismissInstall} />
      </div>
      {method === 'prompt' ? (
        <Button className="mt-3" icon="download" onClick={() => void promptInstall()}>
          {t('Install app')}
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
        <Emphasized text={t('Tap **Share** in the browser’s bar')} />
      </Step>
      <Step number={2} icon="plus">
        <Emphasized text={t('Choose **Add to Home Screen**')} />
      </Step>
      <Step number={3} icon="check">
        <Emphasized text={t('Tap **Add**, then open Toolbox from there')} />
      </Step>
    </ol>
  )
}

/** What stands between `**` is bold. */
function Emphasized({ text }: { text: string }) {
  return text.split('**').map((part, at) => (at % 2 === 1 ? <strong key={part}>{part}</strong> : part))
}

function Step({ number, icon, children }: { number: number; icon: IconName; children: ReactNode }) {
  return (
    <li className="flex items-center gap-3 rounded-field border border-primary/30 p-3 text-note">
      <span className="grid size-10 shrink-0 place-items-center rounded-field bg-primary/8 text-primary">
        <Icon name={icon} />
      </span>
      <span>
        <span className="sr-only">{t('Step {number}:', { number })} </span>
        {children}
      </span>
    </li>
  )
}
