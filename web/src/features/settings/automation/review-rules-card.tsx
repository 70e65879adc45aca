import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { BreakableAddress } from '@/ui/breakable-address'
import { Card } from '@/ui/card'
import { ChoiceField } from '@/ui/choice-field'
import { TextField } from '@/ui/field'
import { Notice } from '@/ui/notice'
import { NumberField } from '@/ui/number-field'
import { SwitchField } from '@/ui/switch-field'
import { SettingsForm } from '../components/settings-form'
import { useSaveSettings } from '../mutations'
import { settingsQueries } from '../queries'
import { REVIEW_LIMITS, reviewRulesSchema } from '../schema'
import type { ReviewRules } from '../types'

const TRIGGER_OPTIONS = [
  { value: 'completed', label: t('The work is done') },
  { value: 'paid', label: t('It is paid too'), hint: t('Asked once the invoice of the work is paid in full') },
] as const satisfies readonly { value: ReviewRules['askWhen']; label: string; hint?: string }[]

export function ReviewRulesCard({ saved }: { saved: ReviewRules }) {
  const save = useSaveSettings()
  const {
    delayMinutes: [delayFrom, delayTo],
    dailyCap: [capFrom, capTo],
    earliest,
    latest,
  } = REVIEW_LIMITS
  return (
    <Card title={t('Review requests')} icon="star">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        <PublicLink />
        <SettingsForm
          label={t('Review requests')}
          part="reviews"
          schema={reviewRulesSchema}
          saved={saved}
          onSave={async (reviews) => (await save.mutateAsync({ reviews })).reviews}
        >
          {(form) => (
            <>
              <ChoiceField form={form} name="askWhen" label={t('Ask once')} choices={TRIGGER_OPTIONS} />
              <NumberField
                form={form}
                name="delayMinutes"
                label={t('Ask after')}
                unit={t('minutes')}
                min={delayFrom}
                max={delayTo}
                hint={t('120 is two hours: they are home, and still see the work.')}
              />
              <div className="grid grid-cols-2 items-start gap-3">
                <TextField form={form} name="from" label={t('From')} type="time" min={earliest} max={latest} required />
                <TextField
                  form={form}
                  name="until"
                  label={t('Until')}
                  type="time"
                  min={earliest}
                  max={latest}
                  required
                />
              </div>
              <p className="-mt-3 text-caption text-muted">
                {t('On the customer’s clock. What falls outside goes out at the next such hour.')}
              </p>
              <NumberField
                form={form}
                name="dailyCap"
                label={t('New customers asked a day, at most')}
                unit={t('customers')}
                min={capFrom}
                max={capTo}
                hint={t('The others are asked the next day. A flood of reviews on one day looks bought.')}
              />
              <SwitchField
                form={form}
                name="followUps"
                label={t('Ask again')}
                hint={t('After 3 and 7 days, unless they answer, leave a review or say STOP first.')}
              />
            </>
          )}
        </SettingsForm>
      </div>
    </Card>
  )
}

/** Where they are led to. */
function PublicLink() {
  const { orgId } = useCurrentUser()
  const { data } = useQuery(settingsQueries.organization(orgId))
  const settings = (
    <Link to={paths.settings('business')} className="text-link">
      {t('Business info')}
    </Link>
  )
  if (!data) return null
  if (!data.reviewLink) {
    return (
      <Notice tone="warning" title={t('No public review link yet')}>
        {t('Customers can still leave a review on your own page, but none is on Google. Enter the link under')}{' '}
        {settings}.
      </Notice>
    )
  }
  return (
    <p className="text-note text-muted">
      {t('Everybody is offered')} <BreakableAddress>{data.reviewLink}</BreakableAddress>
      {t(', whatever they think of the work. Change it under')} {settings}
      {t('; the words are under')}{' '}
      <Link to={paths.settings('templates', 'reviewRequest')} className="text-link">
        {t('Message templates')}
      </Link>
      .
    </p>
  )
}
