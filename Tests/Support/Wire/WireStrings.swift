import BackstitchTestKit
import Foundation

/// The strings that a message of the wire may contain, as its reader reports. At each place each known key is tried
/// with a number, and the reader reports the expected type. So a new key is included automatically.
package struct WireStrings {
    /// One step from the outside of a message to a string.
    package enum Step: Sendable, Hashable, CustomStringConvertible {
        /// The value of a key, with another key that gives its type.
        case key(String, type: String? = nil)
        /// The first element of an array.
        case element
        /// A key that may be any text.
        case name

        package var description: String {
            switch self {
            case .key(let name, nil): name
            case .key(let name, let type?): "\(name) (\(type))"
            case .element: "[]"
            case .name: "a key"
            }
        }
    }

    package typealias Path = [Step]

    /// Returns the fault that the reader finds in a message, or everything that it has read.
    private let read: ([UInt8]) -> String
    private let keys: [String]
    private let types: [String]

    /// - Parameters:
    ///   - types: The words for a key `type` beside a `value`.
    ///   - read: Reads a message, and returns its fault, or a description of the message with faults of its items.
    package init(types: [String], _ read: @escaping ([UInt8]) -> String) throws {
        self.read = read
        self.types = types
        keys = try Self.keysOfTheWire()
    }

    /// All paths to strings.
    package func paths() -> [Path] { paths(below: [], 0) }

    private func paths(below path: Path, _ depth: Int) -> [Path] {
        let fault = fault(of: path)
        if fault.contains("expected a string") { return [path] }
        guard depth < 14 else { return [] }
        if fault.contains("expected an array") { return paths(below: path + [.element], depth + 1) }
        guard fault.contains("expected an object") else { return [] }
        // An object that takes an unknown key takes any.
        if takes(path + [.key("unknownKey")]) {
            return [path + [.name]] + paths(below: path + [.key("unknownKey")], depth + 1)
        }
        let known = knownKeys(of: path)
        var found = known.flatMap { paths(below: path + [.key($0)], depth + 1) }
        if known.contains("type"), takes(path + [.key("value", type: types[0])]) {
            found += types.flatMap { paths(below: path + [.key("value", type: $0)], depth + 1) }
        }
        return found
    }

    private func takes(_ path: Path) -> Bool { fault(of: path).contains("found a number") }

    /// The keys of an object that refuse a number. All are tried at once, and the place of the fault shows the key,
    /// until there is none.
    private func knownKeys(of path: Path) -> [String] {
        var (left, known): ([String], [String]) = (keys, [])
        let around = Self.json(path, "\u{1}").utf8.split(separator: 1, omittingEmptySubsequences: false)
        while !left.isEmpty {
            var bytes = Array(around[0]) + Array("{".utf8)
            var places: [Int: Int] = [:]
            for (index, key) in left.enumerated() {
                bytes += Array("\(index == 0 ? "" : ",")\"\(key)\":".utf8)
                places[bytes.count] = index
                bytes += Array("5".utf8)
            }
            let fault = read(bytes + Array("}".utf8) + Array(around[1]))
            guard fault.contains("found a number"), let match = fault.firstMatch(of: #/at byte (\d+)/#),
                let index = Int(match.1).flatMap({ places[$0] })
            else { break }
            known.append(left.remove(at: index))
        }
        return known.sorted()
    }

    private func fault(of path: Path) -> String { read(Array(Self.json(path, "5").utf8)) }

    private static func json(_ path: Path, _ value: String) -> String {
        path.reversed().reduce(value) { inner, step in
            switch step {
            case .key(let key, nil): "{\"\(key)\":\(inner)}"
            case .key(let key, let type?): "{\"type\":\"\(type)\",\"\(key)\":\(inner)}"
            case .element: "[\(inner)]"
            case .name: "{\"k\":\(inner)}"
            }
        }
    }

    /// The keys in the sources of the wire: a literal at the beginning of a call or a case.
    private static func keysOfTheWire() throws -> [String] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/CloudWire")
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        var keys: Set<String> = []
        for file in files {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            for match in text.matches(of: #/(?:\(\s*|case )"([A-Za-z][A-Za-z-]+)"/#) { keys.insert(String(match.1)) }
        }
        guard keys.count > 100 else { throw TestFailure("no keys in \(folder.path)") }
        return keys.sorted()
    }

    /// A message with a text at the end of a path. Other values are taken from a sample, if it has them.
    package static func message(_ sample: [UInt8], _ path: Path, _ text: String) throws -> [UInt8] {
        let base = try JSONSerialization.jsonObject(with: Data(sample))
        let whole = merged(base, path[...], text)
        return Array(try JSONSerialization.data(withJSONObject: whole))
    }

    private static func merged(_ base: Any?, _ path: ArraySlice<Step>, _ text: String) -> Any {
        guard let step = path.first else { return text }
        let rest = path.dropFirst()
        switch step {
        case .key(let key, let type):
            var object = base as? [String: Any] ?? [:]
            if let type { object["type"] = type }
            object[key] = merged(object[key], rest, text)
            return object
        case .element:
            var list = base as? [Any] ?? []
            if list.isEmpty { list = [merged(nil, rest, text)] } else { list[0] = merged(list[0], rest, text) }
            return list
        case .name:
            var object = base as? [String: Any] ?? [:]
            object[text] = ["value": "x"]
            return object
        }
    }
}

/// Texts that make normalisation and the search for characters take quadratic time.
package enum LongText: String, CaseIterable, Sendable {
    case marks = "\u{301}\u{323}"
    case ligatures = "\u{FDFA}"
    case families = "\u{1F468}\u{200D}\u{1F469}\u{200D}"

    /// The text repeated to about this number of bytes.
    package func of(_ bytes: Int) -> String { String(repeating: rawValue, count: bytes / rawValue.utf8.count) }
}
