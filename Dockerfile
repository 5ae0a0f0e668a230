# docker build -t teltheory . && docker run --rm -v "$PWD:/work" teltheory demo
FROM python:3.13-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /source

FROM python:3.13-slim
# What is installed beside it, such as [report]; nothing if left out.
ARG EXTRAS=""
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/*.whl)$EXTRAS" && rm -r /wheels \
    && useradd --create-home --uid 1000 teltheory && install -d -o teltheory /work
USER teltheory
WORKDIR /work
ENTRYPOINT ["teltheory"]
CMD ["demo"]
