public import Backstitch

extension Value {
    /// The attribute's form of a property's initial value; ``Value/null`` for nil. ``Entity(_:)`` uses it for defaults.
    public init<T: AttributeValue>(initial value: T?) {
        self = value?.attributeValue ?? .null
    }
}
