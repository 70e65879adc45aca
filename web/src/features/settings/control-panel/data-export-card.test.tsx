import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { buildUser } from '@/testing/builders'
import { startFakeServer } from '@/testing/fake-server'
import { renderWithApp } from '@/testing/render-app'
import { DataExportCard } from './data-export-card'

it('data export: saved under the server’s file name', async () => {
  startFakeServer().on('GET', '/api/auth/me', { body: buildUser() })
  renderWithApp(<DataExportCard />)
  const link = await screen.findByRole('link', { name: 'Download everything' })
  expect(link).toHaveAttribute('href', '/api/organization/export')
  expect(link).toHaveAttribute('download')
})
