import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextAreaField, TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { useRemoveProperty, useSaveProperty } from '../mutations'
import { propertySchema, type PropertyValues } from '../schema'
import type { Property } from '../types'

type PropertyDialogProps = { customerId: string; place: Property | undefined; onClose: () => void }

/** An empty field clears the value. */
const orNull = (typed: string) => (typed === '' ? null : typed)

export function PropertyDialog({ customerId, place, onClose }: PropertyDialogProps) {
  const save = useSaveProperty(customerId, place?.id)
  const remove = useRemoveProperty(customerId)
  const initialValues: PropertyValues = {
    label: place?.label ?? '',
    address: place?.address ?? '',
    zip: place?.zip ?? '',
    notes: place?.notes ?? '',
  }
  const store = async ({ label, address, zip, notes }: PropertyValues) => {
    await save.mutateAsync({ label: orNull(label), address, zip: orNull(zip), notes: orNull(notes) })
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={place ? 'Change the place' : 'Add a place'}>
      <Form
        label="Place"
        schema={propertySchema}
        defaultValues={initialValues}
        onSubmit={store}
        onFailure={ignoreFailure}
        className="grid grid-cols-[minmax(0,1fr)] gap-4"
      >
        {(form) => (
          <>
            <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_9rem]">
              <TextField form={form} name="address" label="Address" required maxLength={300} autoComplete="off" />
              <TextField
                form={form}
                name="zip"
                label="Zip code"
                inputMode="numeric"
                maxLength={12}
                autoComplete="off"
              />
            </div>
            <TextField
              form={form}
              name="label"
              label="What it is"
              placeholder="Home, Rental house"
              maxLength={60}
              autoComplete="off"
            />
            <TextAreaField
              form={form}
              name="notes"
              label="Notes"
              hint="Gate codes, dogs, where the shut-off is."
              rows={3}
              maxLength={2000}
            />
            <div className="flex flex-wrap justify-end gap-2">
              {place && (
                <Button
                  variant="danger"
                  icon="trash"
                  className="mr-auto"
                  pending={remove.isPending}
                  pendingText="Removing..."
                  onClick={() => remove.mutate(place, { onSuccess: onClose })}
                >
                  Remove
                </Button>
              )}
              <Button variant="ghost" onClick={onClose}>
                Close
              </Button>
              <Button type="submit" icon="check" pending={form.formState.isSubmitting} pendingText="Saving...">
                Save the place
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
