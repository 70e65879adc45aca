import type { Schema } from '@/api/client'
import { formatCents } from '@/lib/format/money'
import { useOnline } from '@/lib/hooks/use-online'
import { TotalRows } from '@/features/documents/total-rows'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { useInvoicePdf } from '../mutations'
import type { InvoiceView } from '../types'

/** `1.5 hours × $95.00, 10 % off, Sales tax 8.25 %`; nothing for a single piece without anything to add. */
function describeLine({ quantity, unit, unitPrice, discount, taxRate, taxName }: Schema['Line']): string {
  const isPlain = quantity === 1 && unit === 'each'
  return [
    ...(isPlain ? [] : [`${quantity} ${unit === 'each' ? '' : `${unit} `}× ${formatCents(unitPrice)}`]),
    ...(typeof discount?.percent === 'number' ? [t('{percent} % off', { percent: discount.percent })] : []),
    ...(typeof discount?.amount === 'number' ? [t('{amount} off', { amount: formatCents(discount.amount) })] : []),
    ...(taxRate ? [`${taxName ?? t('Tax')} ${taxRate} %`] : []),
  ].join(', ')
}

export function LinesCard({ invoice }: { invoice: InvoiceView }) {
  const { content, totals } = invoice
  const amounts = new Map(totals.lines.map(({ id, amount }) => [id, amount]))
  const { subtotal, discount, total } = totals
  const taxes = totals.taxes.map(({ name, rate, amount }) => ({ name: name ?? '', rate, amount }))
  return (
    <Card title={content.title || t('What is billed')} icon="document" aside={<PdfButton invoice={invoice} />}>
      <div className="grid gap-4">
        {content.about && <p className="text-note text-muted">{t('For {work}', { work: content.about })}</p>}
        <ul aria-label={t('Lines')} className="grid divide-y divide-primary/15">
          {content.lines.map((line) => {
            const count = describeLine(line)
            return (
              <li key={line.id} className="flex items-start justify-between gap-4 py-2 first:pt-0">
                <span className="min-w-0">
                  <span className="block wrap-anywhere">{line.name}</span>
                  {line.description && (
                    <span className="block text-note text-muted wrap-anywhere whitespace-pre-line">
                      {line.description}
                    </span>
                  )}
                  {count !== '' && <span className="block text-note text-muted tabular-nums">{count}</span>}
                </span>
                <span className="shrink-0 tabular-nums">{formatCents(amounts.get(line.id) ?? 0)}</span>
              </li>
            )
          })}
        </ul>
        <TotalRows sums={{ subtotal, discount, taxes, total }} />
        {content.notes && <p className="max-w-[68ch] wrap-anywhere whitespace-pre-line">{content.notes}</p>}
        {content.howToPay && (
          <p className="text-note text-muted wrap-anywhere whitespace-pre-line">{content.howToPay}</p>
        )}
        {content.terms && <p className="text-note text-muted wrap-anywhere whitespace-pre-line">{content.terms}</p>}
      </div>
    </Card>
  )
}

function PdfButton({ invoice }: { invoice: InvoiceView }) {
  const pdf = useInvoicePdf(invoice)
  const isOnline = useOnline()
  return (
    <Button
      variant="secondary"
      icon="download"
      className="min-h-11! px-3! text-note!"
      pending={pdf.isPending}
      disabled={!isOnline}
      onClick={() => pdf.mutate()}
    >
      PDF
    </Button>
  )
}
