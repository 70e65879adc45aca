// Assignment of new leads: by ZIP code, else in turns.
import { useQuery } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { peopleQueries } from '@/features/people/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { FieldError, TextField } from '@/ui/field'
import { SettingsForm } from '../components/settings-form'
import { useSaveSettings } from '../mutations'
import type { LeadOwners } from '../types'
import { parseZips, ZIPS_ERROR } from './booking-schema'

const schema = z.object({
  turns: z.array(z.string()),
  zips: z.record(z.string(), z.string().check(z.refine((typed) => parseZips(typed) !== undefined, ZIPS_ERROR))),
})
type Values = z.infer<typeof schema>

export function LeadOwnersCard({ saved }: { saved: LeadOwners }) {
  const { orgId } = useCurrentUser()
  const { data: team } = useQuery(peopleQueries.team(orgId))
  const save = useSaveSettings()
  if (!team) return null
  const people = team.filter(({ isActive }) => isActive)
  const toValues = ({ turns, zips }: LeadOwners): Values => ({
    turns: people.map(({ id }) => id).filter((id) => turns.includes(id)),
    zips: Object.fromEntries(
      people.map(({ id }) => [id, zips.find(({ userId }) => userId === id)?.zips.join(', ') ?? '']),
    ),
  })
  const onSave = async ({ turns, zips }: Partial<Values>) => {
    const owned = zips && Object.entries(zips).map(([userId, typed]) => ({ userId, zips: parseZips(typed) ?? [] }))
    return toValues(
      (await save.mutateAsync({ leadOwners: { ...(turns && { turns }), ...(owned && { zips: owned }) } })).leadOwners,
    )
  }
  return (
    <Card title={t('Who gets new requests')} icon="leads">
      <SettingsForm
        label={t('Who gets new requests')}
        part="leadOwners"
        schema={schema}
        saved={toValues(saved)}
        onSave={onSave}
      >
        {(form) => {
          const { turns, zips } = form.formState.errors
          // What the server says of all of them together; of one person's ZIP codes their own field tells.
          const errorTexts = [turns?.message, zips?.message].filter((fault) => typeof fault === 'string')
          return (
            <>
              <p className="text-note text-muted">
                {t(
                  'So that everybody knows who calls back. A request goes to the person with its ZIP code; the people you check take turns with the rest. With nothing set, it waits unassigned until you pick someone. Alerts go out as before.',
                )}
              </p>
              {people.map(({ id, name }) => (
                <fieldset key={id} className="grid gap-1">
                  <legend className="font-semibold">{name}</legend>
                  <label className="flex min-h-12 cursor-pointer items-center gap-3">
                    <input
                      type="checkbox"
                      className="checkbox checkbox-primary"
                      value={id}
                      {...form.register('turns')}
                    />
                    <span>{t('Takes turns')}</span>
                  </label>
                  <TextField
                    form={form}
                    name={`zips.${id}`}
                    label={t('ZIP codes')}
                    autoComplete="off"
                    placeholder="78701, 787"
                  />
                </fieldset>
              ))}
              {errorTexts.map((fault) => (
                <FieldError key={fault}>{fault}</FieldError>
              ))}
            </>
          )
        }}
      </SettingsForm>
    </Card>
  )
}
