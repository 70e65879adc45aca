import { useQuery } from '@tanstack/react-query'
import { formatPhone } from '@/lib/format/phone'
import { TextsOffLine } from '@/features/own-phone/texts-off-line'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { ListField } from '@/ui/list-field'
import { NumberField } from '@/ui/number-field'
import { SwitchField } from '@/ui/switch-field'
import { SettingsForm } from '../components/settings-form'
import { parsePhone } from '../lib/parse-phone'
import { useSaveSettings } from '../mutations'
import { sendingNumberQuery } from '../organization/sending-number'
import { callsSchema, SETTINGS_LIMITS } from '../schema'
import type { CallSettings } from '../types'

const normalizeKeyword = (typed: string) => {
  const word = typed.trim().toLowerCase().replaceAll(/\s+/g, ' ')
  return word === '' || word.length > 40 ? undefined : word
}

export function CallsCard({ saved }: { saved: CallSettings }) {
  const { orgId } = useCurrentUser()
  const { data: number } = useQuery(sendingNumberQuery(orgId))
  const save = useSaveSettings()
  const [ringFrom, ringTo] = SETTINGS_LIMITS.ringSeconds
  const [delayFrom, delayTo] = SETTINGS_LIMITS.textDelaySeconds
  const [repeatFrom, repeatTo] = SETTINGS_LIMITS.repeatHours
  return (
    <Card title={t('Missed calls')} icon="phone">
      {number?.why && <TextsOffLine why={number.why} />}
      <SettingsForm
        label={t('Missed calls')}
        part="calls"
        schema={callsSchema}
        saved={saved}
        onSave={async (calls) => (await save.mutateAsync({ calls })).calls}
      >
        {(form) => (
          <>
            <ListField
              form={form}
              name="forwardTo"
              label={t('Phones that ring')}
              hint={
                number?.why
                  ? t('They do not ring yet: no call comes in here until you have a number.')
                  : t(
                      'They ring at the same time. The person who answers presses 1, so that a voicemail never counts as an answer.',
                    )
              }
              most={SETTINGS_LIMITS.forwardTo}
              read={parsePhone}
              refused={t('Enter a US or Canadian number with its area code')}
              show={formatPhone}
              empty={
                number?.why
                  ? t('None yet.')
                  : t('None yet: callers to your text number hear that no one is there, and get the text.')
              }
              input={{ type: 'tel', inputMode: 'tel', autoComplete: 'off' }}
            />
            <NumberField
              form={form}
              name="ringSeconds"
              label={t('Ring for')}
              unit={t('seconds')}
              min={ringFrom}
              max={ringTo}
              hint={t('{from} to {to}. Longer than that, and your own voicemail may answer.', {
                from: ringFrom,
                to: ringTo,
              })}
            />
            <NumberField
              form={form}
              name="textDelaySeconds"
              label={t('Text the caller after')}
              unit={t('seconds')}
              min={delayFrom}
              max={delayTo}
              hint={t(
                'Nothing is sent if they get through or you write to them before that. A call back from your own phone is not seen here.',
              )}
            />
            <NumberField
              form={form}
              name="repeatHours"
              label={t('One text per caller within')}
              unit={t('hours')}
              min={repeatFrom}
              max={repeatTo}
              hint={t('More calls move the lead up in your list, and send nothing.')}
            />
            <SwitchField
              form={form}
              name="nudge"
              label={t('One reminder')}
              hint={t('Two hours later, if the caller has not answered the text. Never a second one.')}
            />
            <ListField
              form={form}
              name="emergencyWords"
              label={t('Emergency words')}
              hint={t('A message with one of these alerts you right away, day and night.')}
              most={SETTINGS_LIMITS.emergencyWords}
              read={normalizeKeyword}
              refused={t('Enter a word or a short phrase')}
              empty={t('None: nothing counts as an emergency.')}
            />
          </>
        )}
      </SettingsForm>
    </Card>
  )
}
