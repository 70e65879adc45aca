import { useQuery } from '@tanstack/react-query'
import type { UseFormReturn } from 'react-hook-form'
import * as z from 'zod/mini'
import { ROLE_LABELS } from '@/domain/org'
import { peopleQueries } from '@/features/people/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { pgettext, t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { SkeletonLines } from '@/ui/skeleton'
import { SwitchField } from '@/ui/switch-field'
import { jobsMessages } from '../messages'
import type { Crew } from '../types'
import { CrewCalendarFeed } from './crew-calendar-feed'
import { useAddCrew, useChangeCrew } from './crew-mutations'

const MAX_NAME_LENGTH = 60

const schema = z.object({
  name: z.string().check(z.trim(), z.minLength(1, jobsMessages.crews.name), z.maxLength(MAX_NAME_LENGTH)),
  memberIds: z.array(z.string()),
  isActive: z.boolean(),
})
type CrewValues = z.infer<typeof schema>

type CrewDialogProps = { crew: Crew | undefined; onClose: () => void }

export function CrewDialog({ crew, onClose }: CrewDialogProps) {
  const add = useAddCrew()
  const change = useChangeCrew(crew?.id ?? '')
  const save = async ({ name, memberIds, isActive }: CrewValues) => {
    await (crew ? change.mutateAsync({ name, memberIds, isActive }) : add.mutateAsync({ name, memberIds }))
    onClose()
  }
  const initialValues: CrewValues = {
    name: crew?.name ?? '',
    memberIds: crew?.members.map(({ id }) => id) ?? [],
    isActive: crew?.isActive ?? true,
  }
  return (
    <Dialog open onClose={onClose} title={crew ? t('Edit crew') : t('Add a crew')}>
      <Form
        label={t('Crew')}
        schema={schema}
        defaultValues={initialValues}
        onSubmit={save}
        onFailure={ignoreFailure}
        className="grid grid-cols-[minmax(0,1fr)] gap-4"
      >
        {(form) => (
          <>
            <TextField
              form={form}
              name="name"
              label={t('Name')}
              required
              autoComplete="off"
              maxLength={MAX_NAME_LENGTH}
            />
            <MemberChoices form={form} />
            {crew && (
              <SwitchField
                form={form}
                name="isActive"
                label={pgettext('crew', 'Active')}
                hint={t('An inactive crew is offered no more jobs. What it did stays.')}
              />
            )}
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                {t('Close')}
              </Button>
              <Button type="submit" icon="check" pending={form.formState.isSubmitting} pendingText={t('Saving...')}>
                {crew ? t('Save crew') : t('Add crew')}
              </Button>
            </div>
          </>
        )}
      </Form>
      {crew && <CrewCalendarFeed crewId={crew.id} />}
    </Dialog>
  )
}

function MemberChoices({ form }: { form: UseFormReturn<CrewValues> }) {
  const { orgId } = useCurrentUser()
  const { data: team, isError } = useQuery(peopleQueries.team(orgId))
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 font-semibold">{t('Members')}</legend>
      {isError && (
        <p className="text-note text-warning">{t('The people could not be loaded. Open this again in a moment.')}</p>
      )}
      {!team && !isError && <SkeletonLines lines={2} />}
      <div className="grid divide-y divide-primary/15">
        {team
          ?.filter((member) => member.isActive)
          .map(({ id, name, role }) => (
            <label key={id} className="flex min-h-12 cursor-pointer items-center gap-3 py-2">
              <input type="checkbox" value={id} className="checkbox checkbox-primary" {...form.register('memberIds')} />
              <span className="min-w-0 flex-1 wrap-anywhere">{name}</span>
              <span className="text-note text-muted">{ROLE_LABELS[role]}</span>
            </label>
          ))}
      </div>
    </fieldset>
  )
}
