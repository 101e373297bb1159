# docker build -t bathys .
# docker run --rm --security-opt seccomp=unconfined -v "$PWD/data:/data" bathys crawl https://example.org/
# (Chromium's own sandbox needs user namespaces, which Docker's default profile refuses.)

FROM docker.io/library/rust:1.95-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends mold \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN cargo build --release --locked -p bathys
RUN scripts/install target/release/bathys /out/usr

FROM docker.io/library/debian:12-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        ca-certificates chromium-headless-shell fonts-dejavu-core fonts-noto-cjk \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/usr /usr
RUN useradd --create-home --uid 1000 bathys && install -d -o bathys -g bathys /data
USER bathys
WORKDIR /data
VOLUME /data
ENTRYPOINT ["bathys"]
CMD ["--help"]
