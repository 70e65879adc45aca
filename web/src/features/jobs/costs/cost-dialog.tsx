import { t } from '@/lib/i18n'
import { AmountField } from '@/ui/amount-field'
import { Button } from '@/ui/button'
import { ChoiceField } from '@/ui/choice-field'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { useAddCost } from './cost-mutations'
import { COST_KINDS } from './cost-text'
import { toCostRequest, costSchema, type CostValues, EMPTY_COST } from './schema'

const KINDS = Object.entries(COST_KINDS).map(([value, label]) => ({ value, label }))
const MAX_NOTE_LENGTH = 200

export function CostDialog({ jobId, onClose }: { jobId: string; onClose: () => void }) {
  const add = useAddCost(jobId)
  const submit = async (values: CostValues) => {
    await add.mutateAsync(toCostRequest(values))
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={t('Add a cost')}>
      <Form
        label={t('Cost')}
        schema={costSchema}
        defaultValues={EMPTY_COST}
        onSubmit={submit}
        onFailure={ignoreFailure}
        className="grid gap-5"
      >
        {(form) => (
          <>
            <ChoiceField form={form} name="kind" label={t('What for')} choices={KINDS} className="grid-cols-3" />
            {form.watch('kind') === 'labor' ? (
              <div className="grid grid-cols-2 gap-3">
                <TextField
                  form={form}
                  name="quantity"
                  label={t('Hours')}
                  required
                  inputMode="decimal"
                  autoComplete="off"
                  placeholder="2.5"
                />
                <AmountField form={form} name="rate" label={t('An hour costs')} />
              </div>
            ) : (
              <AmountField form={form} name="amount" label={t('Amount')} isFirst />
            )}
            <TextField
              form={form}
              name="note"
              label={t('Note')}
              maxLength={MAX_NOTE_LENGTH}
              autoComplete="off"
              placeholder={t('50 gallon tank, Sam’s hours')}
            />
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                {t('Cancel')}
              </Button>
              <Button type="submit" icon="plus" pending={add.isPending} pendingText={t('Adding...')}>
                {t('Add cost')}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
