import BackstitchSupport

/// Texts are compared by their bytes, as in databases. `String` would find canonically equivalent texts equal, and need
/// n² steps for a run of n combining marks.
extension WireValue: Hashable {
    /// Whether both values have the same type and content.
    ///
    /// - Complexity: O(bytes of both values).
    package static func == (left: WireValue, right: WireValue) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.isSame(as: right)
        case (.int64(let left), .int64(let right)), (.timestamp(let left), .timestamp(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.bytes(let left), .bytes(let right)): left == right
        case (.reference(let left), .reference(let right)): left == right
        case (.asset(let left), .asset(let right)): left == right
        case (.location(let left), .location(let right)): left == right
        case (.unknownList, .unknownList): true
        default: left.isSameList(as: right)
        }
    }

    private func isSameList(as other: WireValue) -> Bool {
        switch (self, other) {
        case (.stringList(let left), .stringList(let right)): left.elementsEqual(right) { $0.isSame(as: $1) }
        case (.int64List(let left), .int64List(let right)), (.timestampList(let left), .timestampList(let right)):
            left == right
        case (.doubleList(let left), .doubleList(let right)): left == right
        case (.bytesList(let left), .bytesList(let right)): left == right
        case (.referenceList(let left), .referenceList(let right)): left == right
        case (.assetList(let left), .assetList(let right)): left == right
        case (.locationList(let left), .locationList(let right)): left == right
        default: false
        }
    }

    /// Hashes the type and the content.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        switch self {
        case .string(let value): value.hashBytes(into: &hasher)
        case .int64(let value), .timestamp(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .bytes(let value): hasher.combine(value)
        case .reference(let value): hasher.combine(value)
        case .asset(let value): hasher.combine(value)
        case .location(let value): hasher.combine(value)
        case .stringList(let values): for value in values { value.hashBytes(into: &hasher) }
        case .int64List(let values), .timestampList(let values): hasher.combine(values)
        case .doubleList(let values): hasher.combine(values)
        case .bytesList(let values): hasher.combine(values)
        case .referenceList(let values): hasher.combine(values)
        case .assetList(let values): hasher.combine(values)
        case .locationList(let values): hasher.combine(values)
        case .unknownList: break
        }
    }
}
