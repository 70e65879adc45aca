// Setup of estimate tests: server, dialog, saved files.
import { screen, within } from '@testing-library/react'
import { vi } from 'vitest'
import type { Schema } from '@/api/client'
import { buildLeadDetail, buildUser } from './builders'
import { type FakeServer, startFakeServer } from './fake-server'
import { buildEstimate, buildMoney } from './paper-builders'
import { pickQuickAction } from './open-lead'
import { renderApp } from './render-app'

export const LEAD_ID = '3f2a9c1e-0000-4000-8000-000000000001'

export type EstimateTest = ReturnType<typeof setupEstimateTest>

const ESTIMATE_SETTINGS = {
  quoteHours: 24,
  prefix: 'EST-',
  validDays: 30,
  deposit: { kind: 'none', value: null },
  taxRates: [{ name: 'Sales tax', rate: 8.25 }],
  defaultTax: 'Sales tax',
  terms: '',
  followUpDays: [],
}

function startServer(): FakeServer {
  const server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/jobs', { body: [] })
  server.on('GET', `/api/leads/${LEAD_ID}/money`, { body: buildMoney() })
  server.on('GET', '/api/price-items', { body: [] })
  server.on('GET', /^\/api\/org\/.*\/settings$/, { body: { invoicing: {}, estimates: ESTIMATE_SETTINGS } })
  return server
}

export function setupEstimateTest() {
  const server = startServer()
  const saved: string[] = []
  vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined }))
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
    saved.push(this.download)
  })

  const answerLead = (parts: Partial<Schema['LeadDetail']> = {}, estimates: Schema['EstimateView'][] = []) => {
    server.on('GET', `/api/leads/${LEAD_ID}`, { body: buildLeadDetail({ id: LEAD_ID, ...parts }) })
    server.on('GET', `/api/leads/${LEAD_ID}/estimates`, {
      body: estimates.map((estimate) => Object.assign(estimate, { leadId: LEAD_ID })),
    })
  }
  const posts = (path: string) =>
    server.requests.filter(({ method, url }) => method === 'POST' && new URL(url).pathname === path)
  return {
    server,
    saved,
    answerLead,
    posts,
    made: () => posts(`/api/leads/${LEAD_ID}/estimate`),
    /** Answers with a PDF; `headers` report its delivery. */
    answerPdf: (headers: Record<string, string>) => {
      server.on('POST', `/api/leads/${LEAD_ID}/estimate`, () => {
        answerLead({ stage: 'Quoted', quotedTotal: 1250 }, [buildEstimate()])
        return {
          body: '%PDF',
          headers: {
            'Content-Disposition': 'attachment; filename="Carla Customer - Estimate EST-1001.pdf"',
            ...headers,
          },
        }
      })
    },
  }
}

export async function openEstimateDialog() {
  const app = renderApp(`/app/leads/${LEAD_ID}?tab=money`)
  await pickQuickAction(app.user, 'Generate Estimate PDF')
  const dialog = within(await screen.findByRole('dialog', { name: 'Generate Estimate PDF' }))
  const generate = () => app.user.click(dialog.getByRole('button', { name: /^(?:Generate Estimate PDF|Send by) ?/ }))
  return { app, dialog, generate }
}

/** The dialog with one empty line. */
export async function openEstimateLines() {
  const opened = await openEstimateDialog()
  const { user } = opened.app
  await user.click(opened.dialog.getByRole('switch', { name: 'Line items' }))
  const lines = within(await opened.dialog.findByRole('region', { name: 'Lines' }))
  /** Types into the field of the line that is at this place of all. */
  const fill = async (at: number, label: RegExp, text: string) => {
    const field = lines.getAllByLabelText(label)[at]
    if (!field) throw new Error(`Line ${at} has no such field`)
    await user.clear(field)
    await user.click(field)
    await user.paste(text)
  }
  return { ...opened, lines, fill }
}
