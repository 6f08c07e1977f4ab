import ArgumentParser
import BackstitchServer
import Foundation

/// The format of lists and answers: text, or JSON with `--json`.
struct AdminOutput: ParsableArguments {
    @Flag(help: "Write JSON; a list becomes an array with one line for each item.")
    var json = false

    /// Writes the lines of all pages as soon as they arrive.
    ///
    /// - Parameter page: Requests the page after a mark; the first one for nil.
    /// - Parameter text: Formats a line for people.
    func write<Line: Codable & Sendable>(
        pages page: (String?) async throws -> Page<Line>, _ text: (Line) -> String
    ) async throws {
        if json { Terminal.write("[") }
        var mark: String?, isFirst = true
        repeat {
            let next = try await page(mark)
            for line in next.lines {
                if json {
                    Terminal.write((isFirst ? "\n" : ",\n") + (try Self.json(line)))
                } else {
                    Terminal.write(text(line) + "\n")
                }
                isFirst = false
            }
            mark = next.next
        } while mark != nil
        if json { Terminal.write("\n]\n") }
    }

    /// Writes a single answer.
    func write<Line: Codable & Sendable>(_ line: Line, _ text: String) throws {
        Terminal.write((json ? try Self.json(line) : text) + "\n")
    }

    private static func json(_ line: some Encodable) throws -> String {
        String(decoding: try AdministrationJSON.encoder.encode(line), as: UTF8.self)
    }
}
