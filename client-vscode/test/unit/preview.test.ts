import MarkdownIt from 'markdown-it';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as vscode from 'vscode';
import { relativeHref } from '../../src/preview/targets';
import { wikilinks } from '../../src/preview/wikilinks';

const known: Record<string, string> = { glossary: '../reference/glossary.md' };
const md = wikilinks(new MarkdownIt({ html: true }), (_, raw) => known[raw]);
const html = (text: string) => md.render(text).trim();

test('a link shows its name or its label and leads where the server says', () => {
  assert.equal(html('[[glossary]]'), '<p><a href="../reference/glossary.md" data-href="../reference/glossary.md" class="memory-wikilink">glossary</a></p>');
  assert.match(html('[[unknown note|so it is]]'), /href="unknown%20note.md" .*class="memory-wikilink memory-unknown">so it is</);
  assert.match(html('[[plan#Day 1: start]]'), /href="plan.md#day-1-start".*>plan › Day 1: start</);
  assert.match(html('[[#Checks]]'), /href="#checks".*>Checks</);
  assert.match(html('see ![[map.svg]]'), /href="map.svg" .*class=".*memory-embed">map.svg</);
});

test('a pipe in a table separates', () => {
  assert.match(html('| a |\n|---|\n| [[glossary\\|words]] |'), /<td><a href="[^"]*"[^>]*>words<\/a><\/td>/);
});

test('code, comments and what is no link stay as they are', () => {
  assert.equal(html('`[[glossary]]`'), '<p><code>[[glossary]]</code></p>');
  assert.match(html('```\n[[glossary]]\n```'), /<code>\[\[glossary\]\]/);
  assert.equal(html('<!-- [[glossary]] -->'), '<!-- [[glossary]] -->');
  assert.equal(html('[[]] and [[ ]] and [[a'), '<p>[[]] and [[ ]] and [[a</p>');
  assert.match(html('[[1, 2], [3, 4]]'), /^<p>\[\[1, 2\], \[3, 4\]\]<\/p>$/);
  assert.match(html('[a](b.md)'), /<a href="b.md">a<\/a>/);
});

test('where a link leads is asked when it is rendered, since VS Code keeps the tokens', () => {
  const env: { name?: string } = {};
  const late = wikilinks(new MarkdownIt(), (given) => (given as typeof env).name);
  const tokens = late.parse('[[glossary]]', {});
  assert.match(late.renderer.render(tokens, late.options, { name: 'first.md' }), /href="first.md"/);
  assert.match(late.renderer.render(tokens, late.options, { name: 'second.md' }), /href="second.md"/);
});

test('names are text and never markup', () => {
  assert.doesNotMatch(html('[[x|<img src=x onerror=y>]]'), /<img/);
  assert.match(html('[["onclick="x]]'), /href="%22onclick=%22x.md"/);
});

test('many brackets take no long time', () => {
  const before = process.cpuUsage().user;
  html('[['.repeat(5_000));
  const short = process.cpuUsage().user - before;
  html('[['.repeat(10_000));
  const long = process.cpuUsage().user - before - short;
  assert.ok(long < 8 * short + 100_000, `${short} µs, then ${long} µs`);
});

test('an address is relative to the document', () => {
  const at = (path: string) => vscode.Uri.file(path);
  assert.equal(relativeHref(at('/n/a/x.md'), at('/n/b/y z.md'), 'y z#One two'), '../b/y%20z.md#one-two');
  assert.equal(relativeHref(at('/n/x.md'), at('/n/x.md'), '#One'), '#one');
  assert.equal(relativeHref(at('/n/x.md'), at('/n/y.md'), 'y#^block'), 'y.md');
});
