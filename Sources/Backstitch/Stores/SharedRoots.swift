package import Foundation

/// The objects of a zone that its owner shares with the user one by one, each with all objects below it. The
/// relationship to the parent decides what is below (``EntityDescription/parent(_:)``). The user's right to an object
/// is the best of its own right and those of the objects above it.
///
/// A journal keeps them for each such zone (``JournalWriting/setSharedRoots(_:zone:)``), so that saves can check them.
public struct SharedRoots: Sendable, Hashable {
    /// The rights of the user to one of these objects and to the objects below it.
    public struct Rights: Sendable, Hashable {
        /// Whether the user may change, add and delete there.
        public var mayWrite: Bool
        /// Whether the user may move objects from there to below another shared one.
        public var administers: Bool

        /// Makes rights; by default those of a reader.
        public init(mayWrite: Bool = false, administers: Bool = false) {
            (self.mayWrite, self.administers) = (mayWrite, administers)
        }
    }

    /// The rights by the keys of the objects.
    public var rights: [ObjectKey: Rights]

    /// Whether there are no such objects.
    public var isEmpty: Bool { rights.isEmpty }

    /// Makes a value of objects with the rights to them.
    public init(_ rights: [ObjectKey: Rights] = [:]) { self.rights = rights }

    /// Whether the user may change an object that is among these objects, or below them.
    package func mayWrite(below keys: Set<ObjectKey>) -> Bool { keys.contains { rights[$0]?.mayWrite == true } }

    /// Returns the shared ones of some objects.
    package func roots(among keys: Set<ObjectKey>) -> Set<ObjectKey> { keys.filter { rights[$0] != nil } }

    /// Whether the user may move an object away from below these objects: the user must administer all shared ones
    /// among them.
    package func mayLeave(_ keys: Set<ObjectKey>) -> Bool { keys.allSatisfy { rights[$0]?.administers ?? true } }
}

extension SharedRoots {
    private static let length = 17

    /// Reads the bytes of ``storedForm``; nil for any other bytes.
    package init?(storedForm: Data) {
        let bytes = Array(storedForm)
        guard bytes.count.isMultiple(of: Self.length) else { return nil }
        rights = [:]
        for start in stride(from: 0, to: bytes.count, by: Self.length) {
            guard let key = ObjectKey.keys(Array(bytes[start..<start + 16]))?.first else { return nil }
            let flags = bytes[start + 16]
            rights[key] = Rights(mayWrite: flags & 1 != 0, administers: flags & 2 != 0)
        }
    }

    /// Sixteen bytes of each key, and one for the rights, in the order of keys.
    package var storedForm: Data {
        var bytes: [UInt8] = []
        for (key, rights) in rights.sorted(by: { $0.key < $1.key }) {
            bytes += ObjectKey.bytes([key])
            bytes.append((rights.mayWrite ? 1 : 0) | (rights.administers ? 2 : 0))
        }
        return Data(bytes)
    }
}
