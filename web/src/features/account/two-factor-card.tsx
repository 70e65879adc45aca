// Two-factor sign-in: state, setup, recovery codes, and the owner's requirement for everyone.
import { lazy, Suspense, useState } from 'react'
import type { Schema } from '@/api/client'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { plural, t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { StatusLine } from '@/ui/status-line'
import { Toggle } from '@/ui/toggle'
import { accountMessages as texts } from './messages'
import { useRequireTwoFactor } from './queries'

const SetUpDialog = lazy(async () => ({ default: (await import('./two-factor-setup-dialog')).TwoFactorSetupDialog }))
const NewCodesDialog = lazy(async () => ({
  default: (await import('./new-recovery-codes-dialog')).NewRecoveryCodesDialog,
}))
const TurnOffDialog = lazy(async () => ({ default: (await import('./two-factor-off-dialog')).TwoFactorOffDialog }))

type OpenDialog = 'set-up' | 'codes' | 'off'
type TwoFactorState = Schema['SecondFactor']

/** So few codes are left that a lost phone locks one out soon. */
const LOW_CODE_COUNT = 3

export function TwoFactorCard({ stands }: { stands: TwoFactorState }) {
  const { role } = useCurrentUser()
  const isOnline = useOnline()
  const [openDialog, setOpened] = useState<OpenDialog>()
  const close = () => setOpened(undefined)
  return (
    <Card title={t('Two-step sign-in')} icon="phone">
      <div className="grid gap-4">
        {stands.isOn ? <TwoFactorOn codesLeft={stands.recoveryCodesLeft} /> : <TwoFactorOff />}
        <fieldset disabled={!isOnline} className="flex flex-wrap gap-2">
          <Button variant={stands.isOn ? 'secondary' : 'primary'} icon="shield" onClick={() => setOpened('set-up')}>
            {stands.isOn ? t('Set up another phone') : t('Turn on')}
          </Button>
          {stands.isOn && (
            <Button variant="secondary" icon="refresh" onClick={() => setOpened('codes')}>
              {t('New recovery codes')}
            </Button>
          )}
          {stands.isOn && !stands.isRequired && (
            <Button variant="ghost" icon="close" onClick={() => setOpened('off')}>
              {t('Turn off')}
            </Button>
          )}
        </fieldset>
        {!isOnline && <p className="text-note text-warning">{texts.offline}</p>}
        {stands.isRequired && role !== 'owner' && (
          <p className="text-note text-muted">{t('Your business asks everybody for it.')}</p>
        )}
        {role === 'owner' && <RequireForEveryone stands={stands} />}
      </div>
      <Suspense fallback={null}>
        {openDialog === 'set-up' && <SetUpDialog onClose={close} />}
        {openDialog === 'codes' && <NewCodesDialog onClose={close} />}
        {openDialog === 'off' && <TurnOffDialog onClose={close} />}
      </Suspense>
    </Card>
  )
}

function TwoFactorOn({ codesLeft }: { codesLeft: number }) {
  return (
    <>
      <StatusLine tone="success" icon="check-circle">
        {t('Signing in asks for a code of your authenticator app.')}
      </StatusLine>
      {codesLeft < LOW_CODE_COUNT && (
        <StatusLine tone="warning" icon="alert">
          {codesLeft === 0
            ? t('No recovery code is left. Make new ones: a lost phone would lock you out.')
            : plural(
                codesLeft,
                'Only {count} recovery code is left. Make new ones.',
                'Only {count} recovery codes are left. Make new ones.',
              )}
        </StatusLine>
      )}
    </>
  )
}

function TwoFactorOff() {
  return (
    <p className="text-muted">
      {t('A stolen password opens nothing when a code from your phone is asked for beside it.')}
    </p>
  )
}

function RequireForEveryone({ stands: { isOn, isRequired } }: { stands: TwoFactorState }) {
  const demand = useRequireTwoFactor()
  if (!isOn)
    return (
      <p className="text-note text-muted">
        {t('Once it is on for you, you can ask everybody in the business for it.')}
      </p>
    )
  return (
    <Toggle
      label={t('Ask everybody for it')}
      hint={t('Anyone without one is signed out now and sets it up at the next sign-in')}
      checked={demand.isPending ? demand.variables : isRequired}
      onChange={(next) => demand.mutate(next)}
    />
  )
}
