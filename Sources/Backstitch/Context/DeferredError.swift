import Logging

/// An error that a property could not throw.
struct DeferredError {
    let error: any Error
    /// The object of which a property was read; nil when something was to be changed.
    let reader: ManagedObject?
}
