import BackstitchTestKit
import Foundation
import Testing

@Suite("the example and the guide to it")
struct GuideTests {
    @Test("most of the kit is for a plain store too")
    func coverage() {
        let all = StoreConformance.cases
        let shown = all.filter(ConformanceTests.store.mustShow)
        print("counted: \(shown.count) of \(all.count) conformance cases on the JSON file store")
        #expect(shown.count * 10 > all.count * 6)
    }

    @Test("the guide shows the test as it is")
    func guide() throws {
        let tests = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        let test = try String(contentsOf: tests.appending(path: "ConformanceTests.swift"), encoding: .utf8)
        let guide = tests.appending(path: "../../../../Documentation/WriteABackend.md").standardizedFileURL
        let begin = "```swift JSONFileStoreTests/ConformanceTests.swift\n"
        #expect(try String(contentsOf: guide, encoding: .utf8).contains("\(begin)\(test)```\n"))
    }
}
