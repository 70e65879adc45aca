// Notes one cost of a job. It needs the server at hand, so its code is fetched when it is opened.
import { AmountField } from '@/ui/amount-field'
import { Button } from '@/ui/button'
import { ChoiceField } from '@/ui/choice-field'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form } from '@/ui/form'
import { useAddCost } from './cost-mutations'
import { COST_KINDS } from './cost-words'
import { costBody, costSchema, type CostValues, NO_COST } from './schema'

const KINDS = Object.entries(COST_KINDS).map(([value, label]) => ({ value, label }))
const LONGEST_NOTE = 200

/** The toast of a failure is the command's; the fields show the rest. */
const said = () => undefined

export function CostDialog({ jobId, onClose }: { jobId: string; onClose: () => void }) {
  const add = useAddCost(jobId)
  const submit = async (values: CostValues) => {
    await add.mutateAsync(costBody(values))
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title="Add a cost">
      <Form
        label="Cost"
        schema={costSchema}
        defaultValues={NO_COST}
        onSubmit={submit}
        onFailure={said}
        className="grid gap-5"
      >
        {(form) => (
          <>
            <ChoiceField form={form} name="kind" label="What for" choices={KINDS} className="grid-cols-3" />
            {form.watch('kind') === 'labor' ? (
              <div className="grid grid-cols-2 gap-3">
                <TextField
                  form={form}
                  name="quantity"
                  label="Hours"
                  required
                  inputMode="decimal"
                  autoComplete="off"
                  placeholder="2.5"
                />
                <AmountField form={form} name="rate" label="An hour costs" />
              </div>
            ) : (
              <AmountField form={form} name="amount" label="Amount" isFirst />
            )}
            <TextField
              form={form}
              name="note"
              label="Note"
              maxLength={LONGEST_NOTE}
              autoComplete="off"
              placeholder="50 gallon tank, Sam’s hours"
            />
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" icon="plus" pending={add.isPending} pendingText="Adding...">
                Add cost
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
