// The second step of signing in: on or off, another phone, new codes for a lost one, and whether everybody needs it.
import { lazy, Suspense, useState } from 'react'
import type { Schema } from '@/api/client'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/session/use-session'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { StateLine } from '@/ui/state-line'
import { Toggle } from '@/ui/toggle'
import { accountMessages as texts } from './messages'
import { useRequire } from './queries'

const SetUpDialog = lazy(async () => ({ default: (await import('./set-up-dialog')).SetUpDialog }))
const NewCodesDialog = lazy(async () => ({ default: (await import('./new-codes-dialog')).NewCodesDialog }))
const TurnOffDialog = lazy(async () => ({ default: (await import('./turn-off-dialog')).TurnOffDialog }))

type Opened = 'set-up' | 'codes' | 'off'
type Stands = Schema['SecondFactor']

/** So few codes are left that a lost phone locks one out soon. */
const FEW = 3

export function SecondStepCard({ stands }: { stands: Stands }) {
  const { role } = useCurrentUser()
  const isOnline = useOnline()
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  return (
    <Card title="Two-step sign-in" icon="phone">
      <div className="grid gap-4">
        {stands.isOn ? <IsOn left={stands.recoveryCodesLeft} /> : <IsOff />}
        <fieldset disabled={!isOnline} className="flex flex-wrap gap-2">
          <Button variant={stands.isOn ? 'secondary' : 'primary'} icon="shield" onClick={() => setOpened('set-up')}>
            {stands.isOn ? 'Set up another phone' : 'Turn on'}
          </Button>
          {stands.isOn && (
            <Button variant="secondary" icon="refresh" onClick={() => setOpened('codes')}>
              New recovery codes
            </Button>
          )}
          {stands.isOn && !stands.isRequired && (
            <Button variant="ghost" icon="close" onClick={() => setOpened('off')}>
              Turn off
            </Button>
          )}
        </fieldset>
        {!isOnline && <p className="text-note text-warning">{texts.offline}</p>}
        {stands.isRequired && role !== 'owner' && (
          <p className="text-note text-muted">Your business asks everybody for it.</p>
        )}
        {role === 'owner' && <ForEverybody stands={stands} />}
      </div>
      <Suspense fallback={null}>
        {opened === 'set-up' && <SetUpDialog onClose={close} />}
        {opened === 'codes' && <NewCodesDialog onClose={close} />}
        {opened === 'off' && <TurnOffDialog onClose={close} />}
      </Suspense>
    </Card>
  )
}

function IsOn({ left }: { left: number }) {
  return (
    <>
      <StateLine tone="success" icon="check-circle">
        Signing in asks for a code of your authenticator app.
      </StateLine>
      {left < FEW && (
        <StateLine tone="warning" icon="alert">
          {left === 0
            ? 'No recovery code is left. Make new ones: a lost phone would lock you out.'
            : `Only ${left} recovery ${left === 1 ? 'code is' : 'codes are'} left. Make new ones.`}
        </StateLine>
      )}
    </>
  )
}

function IsOff() {
  return (
    <p className="text-muted">A stolen password opens nothing when a code from your phone is asked for beside it.</p>
  )
}

function ForEverybody({ stands: { isOn, isRequired } }: { stands: Stands }) {
  const demand = useRequire()
  if (!isOn)
    return <p className="text-note text-muted">Once it is on for you, you can ask everybody in the business for it.</p>
  return (
    <Toggle
      label="Ask everybody for it"
      hint="Whoever has none is signed out now, and sets it up at the next sign-in"
      checked={demand.isPending ? demand.variables : isRequired}
      onChange={(next) => demand.mutate(next)}
    />
  )
}
