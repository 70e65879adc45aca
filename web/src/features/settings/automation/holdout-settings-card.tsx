// Holdout: automations skip one phone number in ten, to measure their gain.
import { useState } from 'react'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { Dialog } from '@/ui/dialog'
import { Toggle } from '@/ui/toggle'
import type { HoldOutSettings } from '../types'
import { useSaveWithUndo } from '../use-save-with-undo'

const LABELS = {
  followUps: t('Estimate follow-ups'),
  missedCalls: t('Missed-call texts'),
} as const satisfies Record<keyof HoldOutSettings, string>

export function HoldoutSettingsCard({ saved: { followUps, missedCalls } }: { saved: HoldOutSettings }) {
  const { save, isPending } = useSaveWithUndo()
  const [isAsked, setAsked] = useState(false)
  const turn = (name: keyof HoldOutSettings, isOn: boolean) => {
    const label = LABELS[name]
    save(
      {
        what: isOn ? t('{label}: one in ten left out', { label }) : t('{label}: everybody gets it', { label }),
        patch: { holdOut: { [name]: isOn } },
        back: { holdOut: { [name]: !isOn } },
      },
      { onSaved: () => setAsked(false) },
    )
  }
  return (
    <Card title={t('Measure the gain')} icon="chart">
      <p className="text-note text-muted">
        {t(
          'One phone number in ten, always the same ones, gets none of what you tick. Recovered money then compares what both groups pay. Emergencies, confirmations of visits, receipts and answers to forms and texts are never held back.',
        )}
      </p>
      <div className="mt-2 divide-y divide-primary/22">
        <Toggle
          label={LABELS.followUps}
          hint={t('Left out: the questions after an estimate that got no answer.')}
          checked={followUps}
          onChange={(isOn) => turn('followUps', isOn)}
        />
        <Toggle
          label={LABELS.missedCalls}
          hint={t('Left out: the text after a missed call from someone new.')}
          checked={missedCalls}
          onChange={(isOn) => (isOn ? setAsked(true) : turn('missedCalls', false))}
        />
      </div>
      <Dialog
        open={isAsked}
        onClose={() => setAsked(false)}
        title={t('Leave one new caller in ten without a text?')}
        actions={
          <>
            <Button variant="ghost" onClick={() => setAsked(false)}>
              {t('Keep texting everybody')}
            </Button>
            <Button
              icon="check"
              pending={isPending}
              pendingText={t('Turning on...')}
              onClick={() => turn('missedCalls', true)}
            >
              {t('Leave one in ten out')}
            </Button>
          </>
        }
      >
        <p>
          {t(
            'You will lose some of these callers: that is what is measured. Anyone who wrote about an emergency, has a crew visit today or has spoken with you before still gets a text back. Turn it off as soon as you know enough.',
          )}
        </p>
      </Dialog>
    </Card>
  )
}
