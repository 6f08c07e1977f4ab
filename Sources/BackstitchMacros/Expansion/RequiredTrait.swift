#if !Macros
#error("BackstitchMacros needs the trait Macros of its package: .package(url: …, traits: [\"Macros\"])")
#endif
