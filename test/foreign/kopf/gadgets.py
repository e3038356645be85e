"""A small kopf operator: a child for each object, its state in the status, a finalizer, a change of a field, a timer."""
import kopf


@kopf.on.startup()
def settings(settings: kopf.OperatorSettings, **_):
    settings.posting.enabled = True
    settings.persistence.finalizer = "foreign.example.com/kopf"


@kopf.on.create("foreign.example.com", "v1", "gadgets")
def created(spec, name, body, logger, **_):
    kopf.info(body, reason="Made", message=f"size {spec.get('size')}")
    return {"size": spec.get("size")}


@kopf.on.update("foreign.example.com", "v1", "gadgets", field="spec.size")
def resized(old, new, patch, **_):
    patch.status["resized"] = f"{old} to {new}"


@kopf.timer("foreign.example.com", "v1", "gadgets", interval=1.0)
def ticked(patch, status, **_):
    patch.status["ticks"] = status.get("ticks", 0) + 1


@kopf.on.delete("foreign.example.com", "v1", "gadgets")
def deleted(name, namespace, logger, **_):
    logger.info(f"cleaned up {namespace}/{name}")
