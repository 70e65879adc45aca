import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { capitalize } from '@/lib/format/identifier'
import { formatCount } from '@/lib/format/number'
import { plural, t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { TextsOffLine } from '@/features/own-phone/texts-off-line'
import { useCurrentUser } from '@/features/session/use-session'
import { Card } from '@/ui/card'
import { ChoiceField } from '@/ui/choice-field'
import { NumberField } from '@/ui/number-field'
import { Notice } from '@/ui/notice'
import { SettingsForm } from '../components/settings-form'
import { useSaveSettings } from '../mutations'
import { type SendingNumber, sendingNumberQuery } from '../organization/sending-number'
import { SETTINGS_LIMITS, sendingSchema } from '../schema'
import type { SendingSettings } from '../types'

const REGISTRATIONS = [
  {
    value: 'unknown',
    label: t('Not entered'),
    hint: t('Texts go out; carriers may filter those of a number they do not know'),
  },
  { value: 'approved', label: t('Approved'), hint: t('Carriers know your number; texts go out') },
  {
    value: 'pending',
    label: t('Pending'),
    hint: t('Texts are not sent until it is approved. You can text from your own phone; emails go out'),
  },
] as const satisfies readonly { value: SendingSettings['registration']; label: string; hint: string }[]

/** Where texts are off, no state of the registration lets one go out. */
function describeRegistrations(number: SendingNumber | undefined) {
  if (!number?.why) return REGISTRATIONS
  const why = number.number || number.sharesService ? capitalize(number.why) : t('No number yet')
  return REGISTRATIONS.map(({ value, label }) => ({ value, label, hint: t('{why}: no texts go out', { why }) }))
}

export function SendingCard({ saved }: { saved: SendingSettings }) {
  const { orgId } = useCurrentUser()
  const { data: number } = useQuery(sendingNumberQuery(orgId))
  const save = useSaveSettings()
  return (
    <Card title={t('Sending')} icon="send">
      {number?.why && <TextsOffLine why={number.why} />}
      {saved.registration !== 'pending' && number && <UnsentTexts number={number} />}
      <SettingsForm
        label={t('Sending')}
        part="sending"
        schema={sendingSchema}
        saved={saved}
        onSave={async (sending) => (await save.mutateAsync({ sending })).sending}
      >
        {(form) => (
          <>
            <NumberField
              form={form}
              name="dailyTextBudget"
              label={t('Automatic texts a day, at most')}
              unit={t('texts')}
              min={SETTINGS_LIMITS.dailyTextBudget[0]}
              max={SETTINGS_LIMITS.dailyTextBudget[1]}
              hint={t(
                'Beyond it customers are answered by email only. You get an alert at four fifths of it. What you write yourself always goes.',
              )}
            />
            <NumberField
              form={form}
              name="textsPerNumber"
              label={t('Automatic texts a day to one new number, at most')}
              unit={t('texts')}
              min={SETTINGS_LIMITS.textsPerNumber[0]}
              max={SETTINGS_LIMITS.textsPerNumber[1]}
              hint={t(
                'For people who never texted you. It keeps a stranger from making you text someone again and again.',
              )}
            />
            <NumberField
              form={form}
              name="numbersPerExchange"
              label={t('New numbers from forms with the same first six digits, in an hour')}
              unit={t('numbers')}
              min={SETTINGS_LIMITS.numbersPerExchange[0]}
              max={SETTINGS_LIMITS.numbersPerExchange[1]}
              hint={t(
                'Fraud texts whole blocks of neighbouring numbers at your cost. Raise it if your whole town shares one exchange.',
              )}
            />
            <ChoiceField
              form={form}
              name="registration"
              label={t('Registration of your number (A2P 10DLC)')}
              choices={describeRegistrations(number)}
              hint={t('Ask the person who registered your number. We send no texts while it is pending.')}
            />
          </>
        )}
      </SettingsForm>
    </Card>
  )
}

/** After approval. A person resends what the registration stopped, because much may have changed since. */
function UnsentTexts({ number: { why, unsentTexts } }: { number: SendingNumber }) {
  if (why || unsentTexts === 0) return null
  return (
    <Notice
      tone="info"
      title={plural(
        unsentTexts,
        'One text was not sent while your registration was pending',
        '{count} texts were not sent while your registration was pending',
        { count: formatCount(unsentTexts) },
      )}
    >
      {unsentTexts === 1 ? t('It does not go out by itself.') : t('They do not go out by themselves.')}{' '}
      {t('Open the conversation in the')}{' '}
      <Link to={paths.inbox} className="text-link">
        {t('inbox')}
      </Link>{' '}
      {t('and press “Send again” where the text still helps.')}
    </Notice>
  )
}
