"""Traffic of deployments: looked at by the sampler, put together to minutes by the worker."""
