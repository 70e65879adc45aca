import type { PriceItem } from '@/features/documents/queries'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { AmountField } from '@/ui/amount-field'
import { Dialog } from '@/ui/dialog'
import { TextAreaField, TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { useAddPrice, useUpdatePrice } from './mutations'
import { PRICE_LIMITS, priceSchema, type PriceValues, toPriceValues, toPriceItem } from './schema'

type PriceDialogProps = { item: PriceItem | undefined; onClose: () => void }

export function PriceDialog({ item, onClose }: PriceDialogProps) {
  const add = useAddPrice()
  const change = useUpdatePrice()
  const save = async (values: PriceValues) => {
    await (item ? change.mutateAsync({ id: item.id, body: toPriceItem(values) }) : add.mutateAsync(toPriceItem(values)))
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={item ? t('Edit item') : t('Add an item')}>
      <Form
        label={t('Item')}
        schema={priceSchema}
        defaultValues={toPriceValues(item)}
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
              maxLength={PRICE_LIMITS.name}
              autoComplete="off"
              placeholder={t('Replace a water heater, 50 gal')}
            />
            <div className="grid grid-cols-2 items-start gap-3">
              <AmountField form={form} name="price" label={t('Price')} />
              <TextField
                form={form}
                name="unit"
                label={t('Unit')}
                maxLength={PRICE_LIMITS.unit}
                autoComplete="off"
                placeholder="each"
              />
            </div>
            <div className="grid grid-cols-2 items-start gap-3">
              <AmountField form={form} name="cost" label={t('Cost')} required={false} hint={t('For yourselves')} />
              <TextField
                form={form}
                name="taxRate"
                label={t('Tax in %')}
                inputMode="decimal"
                autoComplete="off"
                hint={t('Empty: as the settings say')}
              />
            </div>
            <TextField
              form={form}
              name="code"
              label={t('Code')}
              maxLength={PRICE_LIMITS.code}
              autoComplete="off"
              hint={t('Your own number for it; an import knows it by this')}
            />
            <TextAreaField
              form={form}
              name="description"
              label={t('Description')}
              rows={3}
              maxLength={PRICE_LIMITS.description}
              hint={t('Shown below the name on documents')}
            />
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                {t('Close')}
              </Button>
              <Button type="submit" icon="check" pending={form.formState.isSubmitting} pendingText={t('Saving...')}>
                {item ? t('Save item') : t('Add item')}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
