import type { UseFormReturn } from 'react-hook-form'
import { useNavigate } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextAreaField, TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { TabList, TabPanel } from '@/ui/tabs'
import { toNewJob } from '../lib/job-request'
import { useAddJob } from '../mutations'
import { addJobSchema, type AddJobValues } from '../schema'
import { CrewSelect } from '../actions/crew-select'
import { PriorityField, ServiceField, toServiceValue } from './job-form-fields'
import { LeadPicker } from './lead-picker'

const EMPTY: AddJobValues = {
  who: 'lead',
  leadId: '',
  name: '',
  phone: '',
  email: '',
  service: '',
  description: '',
  address: '',
  zip: '',
  day: '',
  time: '',
  crewId: '',
  priority: 'standard',
  value: '',
}

const WAYS = [
  { name: 'lead', label: t('From a lead') },
  { name: 'customer', label: t('New customer') },
] as const

type AddJobDialogProps = {
  open: boolean
  onClose: () => void
  /** The lead it is for, where that is known. */ lead?: { id: string; name: string }
}

export function AddJobDialog({ open, onClose, lead }: AddJobDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={lead ? t('Add a job for {name}', { name: lead.name }) : t('Add a job')}
    >
      <AddJobForm lead={lead} onClose={onClose} />
    </Dialog>
  )
}

function AddJobForm({ lead, onClose }: { lead: AddJobDialogProps['lead'] | undefined; onClose: () => void }) {
  const { orgTimezone } = useCurrentUser()
  const add = useAddJob()
  const navigate = useNavigate()
  const save = async (values: AddJobValues) => {
    const job = await add.mutateAsync(toNewJob({ ...values, service: toServiceValue(values.service) }, orgTimezone))
    onClose()
    void navigate(paths.job(job.id))
  }
  return (
    <Form
      label={t('New job')}
      schema={addJobSchema}
      defaultValues={{ ...EMPTY, leadId: lead?.id ?? '' }}
      onSubmit={save}
      onFailure={ignoreFailure}
      className="grid grid-cols-[minmax(0,1fr)] gap-4"
    >
      {(form) => (
        <>
          {!lead && <CustomerFields form={form} />}
          <WorkFields form={form} isOfLead={form.watch('who') === 'lead'} />
          <ScheduleFields form={form} timeZone={orgTimezone} />
          <div className="flex flex-wrap justify-end gap-2">
            <Button variant="ghost" onClick={onClose}>
              {t('Close')}
            </Button>
            <Button type="submit" icon="plus" pending={form.formState.isSubmitting} pendingText={t('Adding...')}>
              {t('Add job')}
            </Button>
          </div>
        </>
      )}
    </Form>
  )
}

type PartProps = { form: UseFormReturn<AddJobValues> }

function CustomerFields({ form }: PartProps) {
  const who = form.watch('who')
  const errors = form.formState.errors
  return (
    <div className="grid gap-3">
      <TabList
        small
        label={t('Who is it for?')}
        id="job-for"
        tabs={WAYS}
        current={who}
        onChange={(source) => form.setValue('who', source, { shouldDirty: true })}
      />
      <TabPanel id="job-for" name="lead" hidden={who !== 'lead'}>
        <LeadPicker
          value={form.watch('leadId')}
          error={errors.leadId?.message}
          onChange={(lead) =>
            form.setValue('leadId', lead?.id ?? '', { shouldDirty: true, shouldValidate: form.formState.isSubmitted })
          }
        />
      </TabPanel>
      <TabPanel id="job-for" name="customer" hidden={who !== 'customer'} className="grid gap-3">
        <TextField form={form} name="name" label={t('Name')} required autoComplete="off" />
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField form={form} name="phone" label={t('Phone')} type="tel" inputMode="tel" autoComplete="off" />
          <TextField
            form={form}
            name="email"
            label={t('Email')}
            type="email"
            inputMode="email"
            autoComplete="off"
            autoCapitalize="none"
          />
        </div>
      </TabPanel>
    </div>
  )
}

function WorkFields({ form, isOfLead }: PartProps & { isOfLead: boolean }) {
  return (
    <>
      <ServiceField
        form={form}
        name="service"
        {...(isOfLead ? { hint: t('Left empty, it is the service of the lead.') } : {})}
      />
      <TextAreaField
        form={form}
        name="description"
        label={t('Description')}
        rows={2}
        {...(isOfLead
          ? { hint: t('Left empty, it is what the customer wrote; materials are the parts they approved.') }
          : {})}
      />
      <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_11rem]">
        <TextField form={form} name="address" label={t('Address')} autoComplete="off" />
        <TextField form={form} name="zip" label={t('Zip code')} inputMode="numeric" autoComplete="off" />
      </div>
      <div className="grid grid-cols-2 gap-3">
        <TextField
          form={form}
          name="value"
          label={t('Value')}
          inputMode="decimal"
          placeholder="0.00"
          autoComplete="off"
          {...(isOfLead ? { hint: t('Left empty, it is what was approved.') } : {})}
        />
        <PriorityField form={form} name="priority" />
      </div>
    </>
  )
}

function ScheduleFields({ form, timeZone }: PartProps & { timeZone: string }) {
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <TextField form={form} name="day" label={t('Day')} type="date" />
        <TextField form={form} name="time" label={t('Time')} type="time" step={900} />
      </div>
      <p className="-mt-2 text-caption text-muted">
        {t('On the clock of your business ({timeZone}). Without a day it is not scheduled yet.', {
          timeZone: timeZone.replaceAll('_', ' '),
        })}
      </p>
      <CrewSelect
        value={form.watch('crewId')}
        onChange={(crewId) => form.setValue('crewId', crewId, { shouldDirty: true })}
      />
    </>
  )
}
