import Logging

/// An error of a property access. Properties cannot throw, so the context keeps the error.
struct DeferredError {
    let error: any Error
    /// The object whose property was read; nil when a change failed.
    let reader: ManagedObject?
}
