import { useState } from 'react'
import { getZoneDay } from '@/lib/format/zone-time'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextAreaField, TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { useAddReview } from '../mutations'
import { EMPTY_REVIEW, REVIEW_FIELD_LIMITS, reviewSchema, type ReviewValues, toReviewRequest } from '../schema'

/** Where most reviews stand; any other word is as good. */
const SOURCES = ['Google', 'Facebook', 'Nextdoor', 'Angi', 'BBB', 'Website'] as const

export function AddReviewDialog({ onClose }: { onClose: () => void }) {
  const { orgTimezone } = useCurrentUser()
  const [today] = useState(() => getZoneDay(orgTimezone, Date.now()))
  const add = useAddReview()
  const save = async (values: ReviewValues) => {
    await add.mutateAsync(toReviewRequest(values))
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={t('Add a review')}>
      <Form
        label={t('Review')}
        schema={reviewSchema}
        defaultValues={EMPTY_REVIEW}
        onSubmit={save}
        onFailure={ignoreFailure}
        className="grid grid-cols-[minmax(0,1fr)] gap-4"
      >
        {(form) => (
          <>
            <div className="grid grid-cols-2 items-start gap-3">
              <TextField
                form={form}
                name="rating"
                label={t('Rating')}
                required
                inputMode="decimal"
                autoComplete="off"
                placeholder="5"
                hint={t('1 to 5 stars')}
              />
              <TextField form={form} name="date" label={t('Date')} type="date" max={today} />
            </div>
            <TextField
              form={form}
              name="customer_name"
              label={t('Customer')}
              maxLength={REVIEW_FIELD_LIMITS.name}
              autoComplete="off"
              hint={t('As shown with the review')}
            />
            <TextField
              form={form}
              name="source"
              label={t('Source')}
              list="review-sources"
              maxLength={REVIEW_FIELD_LIMITS.source}
              autoComplete="off"
              placeholder="Google"
            />
            <datalist id="review-sources">
              {SOURCES.map((source) => (
                <option key={source} value={source}>
                  {source}
                </option>
              ))}
            </datalist>
            <TextAreaField form={form} name="review_text" label={t('Review')} maxLength={REVIEW_FIELD_LIMITS.text} />
            <div className="grid items-start gap-4 sm:grid-cols-2 sm:gap-3">
              <TextField
                form={form}
                name="phone"
                label={t('Their phone')}
                type="tel"
                inputMode="tel"
                autoComplete="off"
                hint={t('Finds whose review it is')}
              />
              <TextField
                form={form}
                name="email"
                label={t('Their email')}
                type="email"
                inputMode="email"
                autoComplete="off"
              />
            </div>
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                {t('Close')}
              </Button>
              <Button type="submit" icon="check" pending={form.formState.isSubmitting} pendingText={t('Adding...')}>
                {t('Add review')}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
