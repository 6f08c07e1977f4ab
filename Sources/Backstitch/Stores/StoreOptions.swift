import Foundation

/// Options checked against their specifications, with typed access.
public struct StoreOptions: Sendable {
    private let values: [StoreOption: any Sendable]

    /// Makes an empty set of options.
    public init() { values = [:] }

    /// Checks `raw` against `specifications`.
    ///
    /// - Throws: ``BackstitchError/Code/invalidOption`` with every fault: an unknown option (with the nearest known
    ///   one), or a value that the option does not take.
    public init(_ raw: [StoreOption: any Sendable], specifications: [OptionSpecification]) throws {
        let byOption = Dictionary(specifications.map { ($0.option, $0) }, uniquingKeysWith: { first, _ in first })
        var values: [StoreOption: any Sendable] = [:]
        var faults: [BackstitchError] = []
        for (option, value) in raw.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            guard let specification = byOption[option] else {
                faults.append(Self.unknown(option, among: specifications))
                continue
            }
            do { values[option] = try specification.accept(value) } catch { faults.append(error) }
        }
        guard faults.isEmpty else {
            throw BackstitchError.combining(faults, code: .invalidOption, summary: "\(faults.count) options are wrong:")
        }
        self.values = values
    }

    /// Returns the option's value if it was given. `T` is `String`, `Bool`, `Int`, `Double` (seconds), `[String]`,
    /// `URL`, or a type that only code can provide.
    public func value<T: Sendable>(_ option: StoreOption, as type: T.Type = T.self) -> T? { values[option] as? T }

    private static func unknown(_ option: StoreOption, among known: [OptionSpecification]) -> BackstitchError {
        let names = known.map(\.option.rawValue).sorted()
        let nearest = names.map { ($0, NearNames.distance($0, option.rawValue)) }.min { $0.1 < $1.1 }
        let hint = nearest.flatMap { $0.1 <= 4 ? "; did you mean \"\($0.0)\"?" : nil }
        return BackstitchError(
            .invalidOption,
            "there is no option \"\(option)\"\(hint ?? "; this store takes \(names.joined(separator: ", "))")",
            key: option.rawValue)
    }
}

extension StoreOptions: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the options only: their values may be secret.
    public var description: String { values.keys.map(\.rawValue).sorted().joined(separator: ", ") }
    /// The same text as ``description``.
    public var debugDescription: String { description }
    /// Shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["options": description]) }
}

extension OptionSpecification {
    /// Returns the value in its form for readers. A text is converted to the option's kind, so JSON and the environment
    /// can provide it.
    func accept(_ value: any Sendable) throws(BackstitchError) -> any Sendable {
        let text = value as? String
        switch kind {
        case .string:
            if let text { return text }
            if let raw = value as? any RawRepresentable, let text = raw.rawValue as? String { return text }
        case .boolean:
            if let flag = value as? Bool ?? text.flatMap({ Self.flags[$0.lowercased()] }) { return flag }
        case .integer(let range):
            if let number = value as? Int ?? text.flatMap({ Int($0) }), range.contains(number) { return number }
        case .seconds:
            let number = value as? Double ?? (value as? Int).map(Double.init) ?? text.flatMap { Double($0) }
            if let number, number >= 0, number.isFinite { return number }
        case .strings:
            if let list = value as? [String] { return list }
            if let text { return text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }
        case .choice(let words):
            let word = text ?? (value as? any RawRepresentable)?.rawValue as? String
            if let word, words.contains(word) { return word }
        case .url(let schemes):
            let url = value as? URL ?? text.flatMap { URL(string: $0) }
            if let url, let scheme = url.scheme, schemes.contains(scheme.lowercased()), url.host != nil { return url }
        case .code(_, let isOne):
            if isOne(value) { return value }
        }
        let shown =
            isSecret || !Self.isPrintable(value)
            ? "a value of type \(type(of: value))" : "\(value) (\(type(of: value)))"
        throw BackstitchError(
            .invalidOption, "option \"\(option)\" takes \(kind.summary), not \(shown)", key: option.rawValue)
    }

    /// Whether it is safe to print: its type is one for options. The description of another type may end the program,
    /// as for a date that is NaN.
    private static func isPrintable(_ value: any Sendable) -> Bool {
        value is String || value is [String] || value is Bool || value is any FixedWidthInteger
            || value is any BinaryFloatingPoint || value is URL || value is any RawRepresentable
    }

    private static let flags = ["true": true, "yes": true, "1": true, "false": false, "no": false, "0": false]
}

extension OptionSpecification.Kind {
    /// The accepted values, in words.
    public var summary: String {
        switch self {
        case .string: "text"
        case .boolean: "true or false"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .seconds: "a number of seconds, not negative"
        case .strings: "a list of texts (or one text, separated by commas)"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .code(let type, _): "a \(type), given in code"
        case .url(let schemes): "a URL with the scheme \(schemes.joined(separator: " or "))"
        }
    }
}
