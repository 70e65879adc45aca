// Registration of a local number: its steps, its fees, and the text that a sole proprietor answers.
import type { Schema } from '@/api/client'
import { formatMoney } from '@/lib/format/money'
import { formatPhone } from '@/lib/format/phone'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import type { IconName } from '@/ui/icon'
import { Notice } from '@/ui/notice'
import { StatusLine } from '@/ui/status-line'
import { numberSetupMessages } from './messages'
import { type RegistrationFees, useResendRegistrationText } from './queries'

const texts = numberSetupMessages.registration

type RegistrationStep = Schema['RegistrationProgress']

const LOOKS = {
  ahead: { tone: 'neutral', icon: 'clock' },
  under_way: { tone: 'info', icon: 'clock' },
  done: { tone: 'success', icon: 'check' },
  stopped: { tone: 'error', icon: 'alert' },
} as const satisfies Record<
  RegistrationStep['state'],
  { tone: 'neutral' | 'info' | 'success' | 'error'; icon: IconName }
>

export function RegistrationSteps({ steps }: { steps: readonly RegistrationStep[] }) {
  return (
    <ol aria-label={texts.steps} className="grid gap-2">
      {steps.map(({ phase, state }) => (
        <li key={phase} className="flex flex-wrap items-center justify-between gap-2">
          <span>{texts.phases[phase]}</span>
          <StatusLine tone={LOOKS[state].tone} icon={LOOKS[state].icon}>
            {texts.phaseStates[state]}
          </StatusLine>
        </li>
      ))}
    </ol>
  )
}

export function ConfirmationNotice({ phone }: { phone: string }) {
  const resend = useResendRegistrationText()
  return (
    <Notice tone="warning" title={texts.confirmation.title(formatPhone(phone))}>
      <p>{texts.confirmation.about}</p>
      <Button variant="secondary" pending={resend.isPending} onClick={() => resend.mutate()}>
        {texts.confirmation.resend}
      </Button>
    </Notice>
  )
}

function listFees({ brand, campaign, monthly }: RegistrationFees): string[] {
  const lines = [
    brand > 0 && texts.fees.brand(formatMoney(brand)),
    campaign > 0 && texts.fees.campaign(formatMoney(campaign)),
    monthly > 0 && texts.fees.monthly(formatMoney(monthly)),
  ]
  return lines.filter((line) => line !== false)
}

type FeesDialogProps = {
  fees: RegistrationFees
  open: boolean
  pending: boolean
  onClose: () => void
  onAccept: () => void
}

export function FeesDialog({ fees, open, pending, onClose, onAccept }: FeesDialogProps) {
  const lines = listFees(fees)
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={texts.fees.title}
      actions={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t('Not now')}
          </Button>
          <Button pending={pending} onClick={onAccept}>
            {texts.fees.accept}
          </Button>
        </>
      }
    >
      {lines.length === 0 && <p>{texts.fees.free}</p>}
      <ul className="list-disc space-y-1 pl-5 font-semibold">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p className="mt-2">{texts.fees.note}</p>
    </Dialog>
  )
}
