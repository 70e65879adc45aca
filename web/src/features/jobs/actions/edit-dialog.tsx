import { MAX_CHECKLIST_ITEMS, MAX_MATERIALS } from '@/domain/job'
import { serviceLabel } from '@/domain/lead'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { ChoiceField } from '@/ui/choice-field'
import { Dialog } from '@/ui/dialog'
import { TextAreaField, TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { ListField } from '@/ui/list-field'
import { toJobChange } from '../lib/job-request'
import { useEditJob } from '../mutations'
import { editJobSchema, type EditJobValues } from '../schema'
import type { JobDetail } from '../types'
import { PriorityField, ServiceField, toServiceValue } from '../components/job-form-fields'

const PHOTO_RULES = [
  { value: 'none', label: t('None') },
  { value: 'after', label: t('After the work') },
  { value: 'before_and_after', label: t('Before and after') },
] as const

type EditJobDialogProps = { open: boolean; onClose: () => void; job: JobDetail }

export function EditJobDialog({ open, onClose, job }: EditJobDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={t('Edit the job')}>
      <EditForm job={job} onClose={onClose} />
    </Dialog>
  )
}

function toFormValues(job: JobDetail): EditJobValues {
  return {
    service: serviceLabel(job.service),
    description: job.serviceDescription ?? '',
    address: job.address ?? '',
    zip: job.zip ?? '',
    priority: job.priorityLevel,
    value: typeof job.value === 'number' ? job.value.toFixed(2) : '',
    materials: job.materialsNeeded,
    specialInstructions: job.specialInstructions ?? '',
    weatherConcerns: job.weatherConcerns ?? '',
    requiredPhotos: job.requiredPhotos,
    checklist: job.checklist.map(({ label }) => label),
  }
}

const trimValue = (typed: string) => typed.trim()

function EditForm({ job, onClose }: { job: JobDetail; onClose: () => void }) {
  const edit = useEditJob(job.id)
  const initialValues = toFormValues(job)
  const save = async (values: EditJobValues) => {
    const change = toJobChange(values, initialValues, job.version)
    await edit.mutateAsync(
      change.service === undefined ? change : { ...change, service: toServiceValue(values.service) },
    )
    onClose()
  }
  return (
    <Form
      label={t('Job')}
      schema={editJobSchema}
      defaultValues={initialValues}
      onSubmit={save}
      onFailure={ignoreFailure}
      className="grid grid-cols-[minmax(0,1fr)] gap-4"
    >
      {(form) => (
        <>
          <ServiceField form={form} name="service" />
          <TextAreaField form={form} name="description" label={t('Description')} rows={3} />
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
            />
            <PriorityField form={form} name="priority" />
          </div>
          <ListField
            form={form}
            name="materials"
            label={t('Materials')}
            most={MAX_MATERIALS}
            read={trimValue}
            refused=""
            empty={t('None listed')}
            ordered
          />
          <TextAreaField form={form} name="specialInstructions" label={t('Special instructions')} rows={2} />
          <TextAreaField form={form} name="weatherConcerns" label={t('Weather')} rows={2} />
          <ListField
            form={form}
            name="checklist"
            label={t('Checklist')}
            most={MAX_CHECKLIST_ITEMS}
            read={trimValue}
            refused=""
            empty={t('Nothing to tick')}
            ordered
          />
          <ChoiceField
            form={form}
            name="requiredPhotos"
            label={t('Required photos')}
            choices={PHOTO_RULES}
            className="sm:grid-cols-3"
          />
          <div className="flex flex-wrap justify-end gap-2">
            <Button variant="ghost" onClick={onClose}>
              {t('Close')}
            </Button>
            <Button type="submit" icon="check" pending={form.formState.isSubmitting} pendingText={t('Saving...')}>
              {t('Save the job')}
            </Button>
          </div>
        </>
      )}
    </Form>
  )
}
