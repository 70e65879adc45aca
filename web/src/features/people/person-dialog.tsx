import { useQuery } from '@tanstack/react-query'
import type { UseFormReturn } from 'react-hook-form'
import * as z from 'zod/mini'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { ChoiceField } from '@/ui/choice-field'
import { Dialog } from '@/ui/dialog'
import { Form, ignoreFailure } from '@/ui/form'
import { SwitchField } from '@/ui/switch-field'
import { type TeamMember, useChangePerson, useResetTwoFactor } from './mutations'
import { peopleQueries } from './queries'

const ROLES = [
  { value: 'crew', label: t('Crew') },
  { value: 'office', label: t('Office') },
  { value: 'owner', label: t('Owner') },
] as const

const schema = z.object({
  role: z.enum(['crew', 'office', 'owner']),
  crewIds: z.array(z.string()),
  isActive: z.boolean(),
})
type PersonValues = z.infer<typeof schema>

export function PersonDialog({ person, onClose }: { person: TeamMember; onClose: () => void }) {
  const change = useChangePerson(person.id)
  const initialValues: PersonValues = { role: person.role, crewIds: person.crewIds, isActive: person.isActive }
  const save = async (values: PersonValues) => {
    await change.mutateAsync(values)
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={person.name}>
      <Form
        label={t('Person')}
        schema={schema}
        defaultValues={initialValues}
        onSubmit={save}
        onFailure={ignoreFailure}
        className="grid grid-cols-[minmax(0,1fr)] gap-4"
      >
        {(form) => (
          <>
            <ChoiceField form={form} name="role" label={t('Role')} choices={ROLES} className="sm:grid-cols-3" />
            <CrewChoices form={form} />
            <SwitchField
              form={form}
              name="isActive"
              label={t('May sign in')}
              hint={t(
                'Off: signed out on every device right away. A phone without a connection closes when its time is over (Settings, Your data). What they did stays.',
              )}
            />
            {person.twoFactorEnabled && <ResetTwoFactor person={person} onDone={onClose} />}
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                {t('Close')}
              </Button>
              <Button type="submit" icon="check" pending={form.formState.isSubmitting} pendingText={t('Saving...')}>
                {t('Save')}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}

function ResetTwoFactor({ person: { id, name }, onDone }: { person: TeamMember; onDone: () => void }) {
  const forget = useResetTwoFactor(id)
  return (
    <div className="grid gap-2 rounded-field border border-primary/30 p-3">
      <p className="text-note text-muted">
        {t(
          'Has {name} lost the phone and the recovery codes? Then turn their two-step sign-in off. They are signed out and get an email.',
          { name },
        )}
      </p>
      <Button
        variant="secondary"
        icon="phone"
        className="w-fit"
        pending={forget.isPending}
        pendingText={t('Turning off...')}
        onClick={() => forget.mutate(undefined, { onSuccess: onDone })}
      >
        {t('Lost phone')}
      </Button>
    </div>
  )
}

function CrewChoices({ form }: { form: UseFormReturn<PersonValues> }) {
  const { orgId } = useCurrentUser()
  const { data: crews = [] } = useQuery(peopleQueries.crews(orgId))
  const offered = crews.filter(({ isActive }) => isActive)
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 font-semibold">{t('Crews')}</legend>
      {offered.length === 0 && <p className="text-note text-muted">{t('No crews yet.')}</p>}
      <div className="grid divide-y divide-primary/15">
        {offered.map(({ id, name }) => (
          <label key={id} className="flex min-h-12 cursor-pointer items-center gap-3 py-2">
            <input type="checkbox" value={id} className="checkbox checkbox-primary" {...form.register('crewIds')} />
            <span className="min-w-0 wrap-anywhere">{name}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
