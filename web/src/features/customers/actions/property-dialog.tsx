import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextAreaField, TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { useRemoveProperty, useSaveProperty } from '../mutations'
import { propertySchema, type PropertyValues } from '../schema'
import type { Customer, Property, PropertyChange } from '../types'

type PropertyDialogProps = {
  customer: Pick<Customer, 'id' | 'name'>
  place: Property | undefined
  onClose: () => void
}

/** An empty field clears the value. */
const orNull = (typed: string) => (typed === '' ? null : typed)

const toFormValues = (place: Property | undefined): PropertyValues => ({
  label: place?.label ?? '',
  address: place?.address ?? '',
  zip: place?.zip ?? '',
  notes: place?.notes ?? '',
})

/** Changed fields only: what waits on this device leaves the others as they are then. All of a new place. */
export function toPropertyChange(values: PropertyValues, place: Property | undefined): PropertyChange {
  const { label, address, zip, notes } = values
  const before = place && toFormValues(place)
  return {
    ...(label === before?.label ? {} : { label: orNull(label) }),
    ...(address === before?.address ? {} : { address }),
    ...(zip === before?.zip ? {} : { zip: orNull(zip) }),
    ...(notes === before?.notes ? {} : { notes: orNull(notes) }),
  }
}

export function PropertyDialog({ customer, place, onClose }: PropertyDialogProps) {
  const save = useSaveProperty(customer, place)
  const remove = useRemoveProperty(customer)
  const isOnline = useOnline()
  const initialValues = toFormValues(place)
  const store = async (values: PropertyValues) => {
    await save.mutateAsync(toPropertyChange(values, place))
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={place ? t('Change the place') : t('Add a place')}>
      <Form
        label={t('Place')}
        schema={propertySchema}
        defaultValues={initialValues}
        onSubmit={store}
        onFailure={ignoreFailure}
        className="grid grid-cols-[minmax(0,1fr)] gap-4"
      >
        {(form) => (
          <>
            <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_9rem]">
              <TextField form={form} name="address" label={t('Address')} required maxLength={300} autoComplete="off" />
              <TextField
                form={form}
                name="zip"
                label={t('Zip code')}
                inputMode="numeric"
                maxLength={12}
                autoComplete="off"
              />
            </div>
            <TextField
              form={form}
              name="label"
              label={t('What it is')}
              placeholder={t('Home, Rental house')}
              maxLength={60}
              autoComplete="off"
            />
            <TextAreaField
              form={form}
              name="notes"
              label={t('Notes')}
              hint={t('Gate codes, dogs, where the shut-off is.')}
              rows={3}
              maxLength={2000}
            />
            <div className="flex flex-wrap justify-end gap-2">
              {place && (
                <Button
                  variant="danger"
                  icon="trash"
                  className="mr-auto"
                  disabled={!isOnline}
                  pending={remove.isPending}
                  pendingText={t('Removing...')}
                  onClick={() => remove.mutate(place, { onSuccess: onClose })}
                >
                  {t('Remove')}
                </Button>
              )}
              <Button variant="ghost" onClick={onClose}>
                {t('Close')}
              </Button>
              <Button type="submit" icon="check" pending={form.formState.isSubmitting} pendingText={t('Saving...')}>
                {t('Save the place')}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
