# syntax=docker/dockerfile:1
# Two stages: the second has Node, the compiled service and its run-time dependencies, no compiler and no sources.
FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY clients/typescript/package.json clients/typescript/
# No dependency needs its install script; see "allowScripts" in package.json.
RUN npm ci --ignore-scripts
COPY . .
# The time of the commit, for a build that is equal every time: see docs/deployment.md, What runs.
ARG SOURCE_DATE_EPOCH
RUN npm run build && npm prune --omit=dev --ignore-scripts
# The documentation, which the service shows at /docs.
RUN mkdir /pages && cp -r --parents *.md docs deploy /pages && find plugins src -name '*.md' -exec cp --parents {} /pages ';'

FROM node:22-bookworm-slim AS service
# The service listens on all addresses of the container; `docker run -p` decides who reaches it. A flag beats these.
ENV NODE_ENV=production ASSAY_HOST=0.0.0.0 ASSAY_DATA=/var/lib/assay
RUN install -d -o node -g node -m 0700 /var/lib/assay
WORKDIR /opt/assay
COPY --from=build --chown=root:root /build/package.json /build/LICENSE ./
COPY --from=build --chown=root:root /build/node_modules ./node_modules
COPY --from=build --chown=root:root /build/dist ./dist
COPY --from=build --chown=root:root /build/schemas ./schemas
COPY --from=build --chown=root:root /pages ./
COPY --from=build --chown=root:root /build/src/web ./src/web
COPY --from=build --chown=root:root /build/src/cli/plugin/template ./src/cli/plugin/template
COPY --from=build --chown=root:root /build/src/cli/plugin/template_source ./src/cli/plugin/template_source
COPY --from=build --chown=root:root /build/src/cli/plugin/template_typescript ./src/cli/plugin/template_typescript
USER node
VOLUME /var/lib/assay
EXPOSE 8080
# /metrics stays inside the container, on port 9080, unless the configuration sets metrics.host.
HEALTHCHECK --interval=10s --timeout=2s --start-period=5s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/healthz`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Exec form: the service itself gets SIGTERM and drains. Give it 20 s: docker run --stop-timeout 20.
ENTRYPOINT ["node", "/opt/assay/dist/src/cli/main.js"]
CMD ["serve"]

# With Chromium, to render pages: docker build --target chromium. Run it with --init, which collects processes of pages that hang, and
# see docs/rendering.md for the sandbox.
FROM service AS chromium
USER root
RUN apt-get update && apt-get install -y --no-install-recommends chromium fonts-liberation fonts-noto-cjk \
  && rm -rf /var/lib/apt/lists/*
USER node

# The image by default, without it.
FROM service
